package store

import (
	"context"
	"errors"

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
	case len(o.collector.items) > 0:
		for _, it := range o.collector.items {
			if err := o.write(o.collector.key(it), o.collector.value(it)); err != nil {
				return err
			}
		}
		o.collector.items, o.collector.buf = nil, nil
	}
	return o.write(key, value)
}

// write appends to the bulk files.
func (o *output) write(key, value []byte) error {
	w, err := o.bulk.Next()
	if err != nil {
		return err
	}
	return w.Set(key, value)
}

// isBig reports whether the entries go into bulk files.
func (o *output) isBig() bool { return o.collector.total > o.limit || !o.bulk.Empty() }

// finish ends the collecting: it checks that keys differ, and writes the files.
func (o *output) finish(ctx context.Context, t *catalog.Table) error {
	if o.sorted {
		return o.bulk.Finish()
	}
	big := o.isBig()
	var dup duplicates
	err := o.collector.each(ctx, func(key, value []byte) error {
		if o.unique && dup.see(key, len(o.s.prefix)) {
			return errEnough
		}
		if big && len(dup.keys) == 0 {
			return o.write(key, value)
		}
		return nil
	})
	switch {
	case len(dup.keys) > 0 && (err == nil || err == errEnough):
		return o.s.duplicateError(t, dup.keys)
	case err != nil:
		return err
	}
	return o.bulk.Finish()
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
