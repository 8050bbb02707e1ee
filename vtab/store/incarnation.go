package store

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// The life of an incarnation. A transaction takes numbers behind all that were used (take) and writes under them, small ranges through its
// overlay, big ones as bulk files that lie in the store from the ingest on, where no catalog names them. Before its first ingest it
// makes an intent durable, which lists all numbers that it may use. The commit deletes the intent and names what stays; what it
// unnamed is retired: recorded, and cleared once no state that can name it is read any more. A crash leaves an intent or
// retired records, and the next open clears what they list.

// intentAhead is how many numbers an intent lists beyond those that are taken, so that few intents are needed.
const intentAhead = 64

// ownRanges are the incarnations that a transaction took: those in [from, to).
type ownRanges struct {
	from, to catalog.Incarnation
	// listed is the end of what the durable intent lists, 0 when there is none.
	listed catalog.Incarnation
	// ingested are those that bulk files went into.
	ingested []catalog.Incarnation
}

func (o *ownRanges) has(inc catalog.Incarnation) bool { return o.from <= inc && inc < o.to }

// take gives the next unused incarnation to the transaction.
func (c *Conn) take() (catalog.Incarnation, error) {
	c.m.mu.Lock()
	inc := c.m.next
	c.m.next++
	c.m.mu.Unlock()
	if c.own.from == 0 {
		if err := c.txn.OwnFrom(dataPrefix(inc)); err != nil {
			return 0, err
		}
		c.own.from = inc
	}
	c.own.to = inc + 1
	return inc, nil
}

// ingest adds bulk files to incarnations of the transaction.
func (c *Conn) ingest(ctx context.Context, into []catalog.Incarnation, files []kv.BulkFile) error {
	c.m.write.Lock()
	defer c.m.write.Unlock()
	if err := c.intend(); err != nil {
		return err
	}
	c.own.ingested = append(c.own.ingested, into...)
	return c.txn.Ingest(ctx, files)
}

// intend makes durable that the transaction's incarnations are to be cleared if it does not end. The caller holds write.
func (c *Conn) intend() error {
	if !c.m.store.Durable() || c.own.to <= c.own.listed {
		return nil
	}
	listed := c.own.to + intentAhead
	end := binary.AppendUvarint(nil, uint64(listed))
	b := c.m.store.NewBatch()
	err := b.Set(incarnationKey(spaceIntents, c.own.from), end)
	if err == nil {
		err = b.Set(nextKey, end)
	}
	if err != nil {
		_ = b.Close() // it holds nothing but memory
		return err
	}
	if err := c.m.store.Commit(b, true); err != nil {
		return err
	}
	c.own.listed = listed
	return nil
}

// retired is a range to be cleared.
type retired struct {
	span kv.Span
	// record is the key of the retired record or intent to delete afterwards, nil for none.
	record []byte
	// seq is the first state that does not name the range.
	seq uint64
}

// clearRetired clears the ranges that no state in use names. It does nothing while the store is being written to: whoever does so
// comes by when it is done.
func (m *Module) clearRetired() {
	if !m.write.TryLock() {
		return
	}
	defer m.write.Unlock()
	m.mu.Lock()
	oldest, any := m.pins.oldest()
	var ready []retired
	m.retired = slices.DeleteFunc(m.retired, func(r retired) bool {
		isReady := !any || oldest >= r.seq
		if isReady {
			ready = append(ready, r)
		}
		return isReady
	})
	m.mu.Unlock()
	if err := m.clearRanges(context.Background(), ready, false); err != nil {
		// The records stay, so the next open tries again.
		m.options.Logger.Warn("ranges that nothing names could not be cleared", "module", m.name, "error", err)
	}
}

// clearRanges clears ranges and then deletes their records. The caller holds write.
func (m *Module) clearRanges(ctx context.Context, ranges []retired, sync bool) error {
	if len(ranges) == 0 {
		return nil
	}
	b := m.store.NewBatch()
	var spans []kv.Span
	for _, r := range ranges {
		spans = append(spans, r.span)
		if r.record == nil {
			continue
		}
		if err := b.Delete(r.record); err != nil {
			_ = b.Close()
			return err
		}
	}
	if err := m.store.Clear(ctx, spans); err != nil {
		_ = b.Close()
		return err
	}
	return m.store.Commit(b, sync)
}

// recover reads the allocator and clears what intents and retired records list. In a store that is open to read only it stays where
// it is: nothing names it, and the next open that may write clears it.
func (m *Module) recover(ctx context.Context) error {
	m.next = 1
	if value, found, err := m.store.Get(nextKey, nil); err != nil {
		return err
	} else if found {
		next, err := readUvarint(value)
		if err != nil {
			return err
		}
		m.next = catalog.Incarnation(next)
	}
	intents, err := m.readLeftovers(spaceIntents, func(from catalog.Incarnation, value []byte) (kv.Span, error) {
		to, err := readUvarint(value)
		m.next = max(m.next, catalog.Incarnation(to))
		return dataSpan(from, catalog.Incarnation(to)), err
	})
	if err != nil {
		return err
	}
	gone, err := m.readLeftovers(spaceRetired, func(inc catalog.Incarnation, _ []byte) (kv.Span, error) {
		return kv.PrefixSpan(dataPrefix(inc)), nil
	})
	if err != nil {
		return err
	}
	if m.options.ReadOnly {
		return nil
	}
	m.write.Lock()
	defer m.write.Unlock()
	return m.clearRanges(ctx, append(intents, gone...), true)
}

func (m *Module) readLeftovers(space byte, span func(catalog.Incarnation, []byte) (kv.Span, error)) ([]retired, error) {
	it, err := m.store.NewIter(kv.IterOptions{Span: kv.PrefixSpan([]byte{space})})
	if err != nil {
		return nil, err
	}
	defer it.Close()
	var out []retired
	for ok := it.First(); ok; ok = it.Next() {
		inc, ok := readIncarnation(it.Key()[1:])
		if !ok {
			return nil, types.Errorf(types.CORRUPT, "key %s names no incarnation", formatKey(it.Key()))
		}
		s, err := span(inc, it.Value())
		if err != nil {
			return nil, err
		}
		out = append(out, retired{span: s, record: slices.Clone(it.Key())})
	}
	return out, it.Err()
}
