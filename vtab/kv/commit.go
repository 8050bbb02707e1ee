package kv

import (
	"bytes"
	"context"

	"github.com/quereus/quereus-migrate/types"
)

// CommitOptions say what Commit writes.
type CommitOptions struct {
	// Dropped are spans that nothing names any more: the writes in them are left out.
	Dropped []Span
	// Extra writes further entries, in any order; they become part of the same atomic unit, and replace the transaction's own
	// under their keys. They must not lie in dropped spans.
	Extra func(Batch) error
	// Sync makes the commit durable before it returns.
	Sync bool
}

// Commit writes what the transaction wrote to the store, all of it or nothing, and ends the transaction. Small ones go as one
// batch, big ones as bulk files and one Ingest. ctx is looked at until the store begins to apply them.
//
// After an error the transaction is still there, to be tried again or rolled back, Extra's entries now among its writes; if
// the store does not know what became of it, the store refuses all further work.
func (t *Txn) Commit(ctx context.Context, o CommitOptions) error {
	if err := t.betweenStatements(); err != nil {
		return err
	}
	if o.Extra != nil {
		if err := o.Extra(extraBatch{t}); err != nil {
			return err
		}
	}
	if err := t.write(ctx, o); err != nil {
		return err
	}
	_ = t.end() // what fails to close now cannot take the commit back
	return nil
}

func (t *Txn) write(ctx context.Context, o CommitOptions) error {
	if t.over.now.empty() {
		return nil
	}
	dropped := unionSpans(o.Dropped)
	big, err := t.exceeds(ctx, dropped, t.options.BulkCommit)
	if err != nil {
		return err
	}
	if big {
		return t.writeBulk(ctx, dropped)
	}
	return t.writeBatch(ctx, dropped, o.Sync)
}

// exceeds reports whether what is to be written is bigger than limit.
func (t *Txn) exceeds(ctx context.Context, dropped []Span, limit int64) (bool, error) {
	if t.over.bytes() <= limit {
		return false, nil
	}
	var n int64
	err := t.eachKept(ctx, dropped, func(c layerCursor) (bool, error) {
		n += int64(len(c.Key()) + len(c.Value()))
		return n <= limit, nil
	})
	return n > limit, err
}

// eachKept visits the records to be written, in key order, until visit answers false.
func (t *Txn) eachKept(ctx context.Context, dropped []Span, visit func(c layerCursor) (bool, error)) error {
	c := t.over.now.cursor(Span{})
	n := 0
	for ok := c.First(); ok; {
		if n++; n%checkEvery == 0 {
			if err := Interrupted(ctx); err != nil {
				return err
			}
		}
		for len(dropped) > 0 && dropped[0].Hi != nil && bytes.Compare(c.Key(), dropped[0].Hi) >= 0 {
			dropped = dropped[1:]
		}
		if len(dropped) > 0 && bytes.Compare(c.Key(), dropped[0].Lo) >= 0 {
			if dropped[0].Hi == nil {
				break
			}
			ok = c.SeekGE(dropped[0].Hi)
			continue
		}
		if !idle(c) {
			if on, err := visit(c); err != nil || !on {
				return err
			}
		}
		ok = c.Next()
	}
	return c.Err()
}

// sink is what Batch and BulkWriter have in common here.
type sink interface {
	Set(key, value []byte) error
	Delete(key []byte) error
}

func writeRecord(to sink, c layerCursor) error {
	if c.Deleted() {
		return to.Delete(c.Key())
	}
	return to.Set(c.Key(), c.Value())
}

func (t *Txn) writeBatch(ctx context.Context, dropped []Span, sync bool) error {
	b := t.store.NewBatch()
	if r, ok := b.(Reserver); ok {
		r.Reserve(int(t.over.bytes()))
	}
	any := false
	err := t.eachKept(ctx, dropped, func(c layerCursor) (bool, error) {
		any = true
		return true, writeRecord(b, c)
	})
	if err == nil {
		err = Interrupted(ctx)
	}
	if err != nil || !any {
		_ = b.Close() // it holds nothing but memory
		return err
	}
	return t.store.Commit(b, sync)
}

func (t *Txn) writeBulk(ctx context.Context, dropped []Span) error {
	w := BulkOutput{Store: t.store, FileBytes: uint64(t.options.BulkFile)}
	err := t.eachKept(ctx, dropped, func(c layerCursor) (bool, error) {
		to, err := w.Next()
		if err != nil {
			return false, err
		}
		return true, writeRecord(to, c)
	})
	if err == nil {
		err = w.Finish()
	}
	if err == nil {
		err = Interrupted(ctx)
	}
	if err != nil {
		w.Abort()
		return err
	}
	// From here on there is no way back: an interrupted ingest would leave open what became of it.
	return t.store.Ingest(context.WithoutCancel(ctx), w.Take())
}

// extraBatch is the Batch that CommitOptions.Extra gets: its writes join the transaction's.
type extraBatch struct{ t *Txn }

func (b extraBatch) Set(key, value []byte) error { return b.t.Set(key, value) }
func (b extraBatch) Delete(key []byte) error     { return b.t.Delete(key) }
func (b extraBatch) Bytes() int                  { return int(b.t.over.bytes()) }

func (b extraBatch) Close() error {
	return types.Errorf(types.MISUSE, "the batch of extra entries ends with the commit")
}
