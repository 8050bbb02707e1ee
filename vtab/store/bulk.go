package store

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// fileBytes is the size at which another bulk file begins.
const fileBytes = 64 << 20

// output is one range that a rewrite writes. Its entries are collected, and either go through the transaction's overlay, when they
// are few, or into bulk files.
type output struct {
	s *structure // as it will be
	// sorted tells that entries come in key order.
	sorted bool
	// unique tells that equal keys are a violation.
	unique bool
	limit  int64 // of the overlay

	collector collector
	bulk      kv.BulkOutput
}

// add takes an entry. Sorted entries go to a file as soon as they are too many for the overlay.
func (o *output) add(key, value []byte) error {
	switch {
	case !o.sorted:
		return o.collector.add(key, value)
	case o.bulk.Empty() && o.collector.total+int64(len(key)+len(value)) <= o.limit:
		return o.collector.add(key, value)
	case o.bulk.Empty():
		err := o.collector.each(context.Background(), func(key, value []byte) error { return write(&o.bulk, key, value) })
		if e := o.collector.close(); err == nil {
			err = e
		}
		if err != nil {
			return err
		}
	}
	return write(&o.bulk, key, value)
}

// write appends to bulk files.
func write(to *kv.BulkOutput, key, value []byte) error {
	w, err := to.Next()
	if err != nil {
		return err
	}
	return w.Set(key, value)
}

// isBig reports whether the entries go into bulk files.
func (o *output) isBig() bool { return o.collector.total > o.limit || !o.bulk.Empty() }

// finish ends the collecting: it checks that keys differ, and writes the files, on all cores.
func (o *output) finish(ctx context.Context, t *catalog.Table) error {
	if o.sorted {
		return o.bulk.Finish()
	}
	o.collector.seal()
	parts := o.parts()
	errs := make([]error, len(parts))
	var others sync.WaitGroup
	for i, p := range parts[1:] {
		others.Go(func() { errs[i+1] = p.guarded(ctx) })
	}
	errs[0] = parts[0].guarded(ctx)
	others.Wait()
	for _, p := range parts {
		o.bulk.Add(p.bulk.Take())
	}
	if keys := duplicateKeys(parts); len(keys) > 0 {
		return o.s.duplicateError(t, keys)
	}
	return cmp.Or(errs...)
}

// outputPart is the part of an output whose keys lie in a span. One goroutine writes it.
type outputPart struct {
	*output
	span kv.Span
	bulk kv.BulkOutput
	dup  duplicates
	// failed tells all parts that keys are equal somewhere, so that nothing has to be written any more.
	failed *atomic.Bool
}

func (o *output) parts() []*outputPart {
	n := 1
	if o.isBig() {
		n = runtime.GOMAXPROCS(0)
	}
	var parts []*outputPart
	failed := new(atomic.Bool)
	for _, span := range o.collector.spans(n) {
		parts = append(parts, &outputPart{
			output: o, span: span, failed: failed, bulk: kv.BulkOutput{Store: o.bulk.Store, FileBytes: o.bulk.FileBytes},
		})
	}
	return parts
}

// guarded writes the part. A panic, which nothing else could catch on this goroutine, becomes an error. On an error nothing of the part is left.
func (p *outputPart) guarded(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = types.Errorf(types.INTERNAL, "writing a new range failed: %v\n%s", r, debug.Stack())
		}
		if err != nil {
			p.bulk.Abort()
		}
	}()
	big := p.isBig()
	err = p.collector.eachIn(ctx, p.span, func(key, value []byte) error {
		if p.unique && p.dup.see(key, len(p.s.prefix)) {
			return errEnough
		}
		if len(p.dup.keys) > 0 {
			p.failed.Store(true)
		}
		if big && !p.failed.Load() {
			return write(&p.bulk, key, value)
		}
		return nil
	})
	if err == errEnough {
		err = nil
	}
	if err != nil {
		return err
	}
	return p.bulk.Finish()
}

// duplicateKeys gives the first keys that occur more than once.
func duplicateKeys(parts []*outputPart) []string {
	var keys []string
	for _, p := range parts {
		keys = append(keys, p.dup.keys...)
	}
	return keys[:min(len(keys), maxDuplicates)]
}

// errEnough ends a walk over entries early; it does not leave finish.
var errEnough = errors.New("enough duplicates were found")

// duplicateError is the error of rows that a rule or key cannot hold together.
func (s *structure) duplicateError(t *catalog.Table, keys []string) error {
	return &types.Error{Code: types.CONSTRAINT, Message: s.failure(t), Cause: &vtab.DuplicateKeys{Keys: keys}}
}

// stage puts few entries into the transaction.
func (o *output) stage(ctx context.Context, txn *kv.Txn) error {
	return o.collector.each(ctx, func(key, value []byte) error {
		_, err := txn.Insert(key, value)
		return err
	})
}

// abort removes what was written.
func (o *output) abort() {
	o.bulk.Abort()
	_ = o.collector.close() // runs that cannot be removed go at the next open at the latest
}
