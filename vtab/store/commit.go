package store

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// pendingCommit is what Prepare found out and Commit carries out.
type pendingCommit struct {
	// dropped are the spans whose writes are left out.
	dropped []kv.Span
	// retired are the incarnations to clear after the commit.
	retired []catalog.Incarnation
	// counts are the row counts to publish; a negative one is forgotten.
	counts map[catalog.Incarnation]int64
}

// Prepare implements vtab.Conn.
func (c *Conn) Prepare(ctx context.Context, commit *vtab.Commit) error {
	if c.state != connOpen {
		return types.Errorf(types.MISUSE, "module %s: the transaction has ended", c.m.name)
	}
	if n := c.views.Load(); n > 0 {
		return types.Errorf(types.MISUSE, "module %s: the transaction cannot commit while %d of its views are open", c.m.name, n)
	}
	if !c.writing && len(commit.Tables) == 0 && len(commit.Records) == 0 {
		c.state = connPrepared
		return nil
	}
	if _, err := c.writable(ctx); err != nil {
		return err
	}
	c.commit = pendingCommit{counts: map[catalog.Incarnation]int64{}}
	for _, step := range []func() error{
		c.flushCounts,
		func() error { return c.dropUnnamed(ctx, commit.Tables) },
		c.readCounts,
		func() error { return c.writeRecords(commit.Records) },
		c.writeFacts,
	} {
		if err := step(); err != nil {
			return types.Wrapf(types.IOERR, err, "module %s", c.m.name)
		}
	}
	c.state = connPrepared
	return nil
}

// dropUnnamed finds the incarnations that were named before, or taken by the transaction, and are named no more.
func (c *Conn) dropUnnamed(ctx context.Context, tables []vtab.TableChange) error {
	named, before := map[catalog.Incarnation]bool{}, []catalog.Incarnation{}
	for _, t := range tables {
		if t.Before != nil {
			before = append(before, incarnations(t.Before)...)
		}
		if t.After != nil {
			for _, inc := range incarnations(t.After) {
				named[inc] = true
			}
		}
	}
	for _, inc := range before {
		if !named[inc] && !c.own.has(inc) {
			if err := c.dropCommitted(ctx, inc); err != nil {
				return err
			}
		}
	}
	for inc := c.own.from; inc < c.own.to; inc++ {
		if named[inc] {
			continue
		}
		if err := c.drop(inc, slices.Contains(c.own.ingested, inc)); err != nil {
			return err
		}
	}
	return nil
}

// incarnations lists the incarnations of a table.
func incarnations(t *catalog.Table) []catalog.Incarnation {
	out := []catalog.Incarnation{t.Storage.Incarnation}
	for _, u := range t.Uniques {
		out = append(out, u.Incarnation)
	}
	for _, ix := range t.Indexes {
		out = append(out, ix.Incarnation)
	}
	return out
}

// drop leaves out what the transaction wrote to an incarnation, and clears what lies in the store under it once nobody reads it.
func (c *Conn) drop(inc catalog.Incarnation, stored bool) error {
	c.commit.dropped = append(c.commit.dropped, kv.PrefixSpan(dataPrefix(inc)))
	c.commit.counts[inc] = -1
	if stored {
		c.commit.retired = append(c.commit.retired, inc)
	}
	return c.txn.Delete(incarnationKey(spaceCounts, inc))
}

// maxDeletes is how many entries of a dropped range the commit deletes one by one.
const maxDeletes = 20_000

// dropCommitted drops an incarnation that others may be reading. A small one is deleted entry by entry, which is done with the commit and
// hurts no snapshot; a big one is cleared later.
func (c *Conn) dropCommitted(ctx context.Context, inc catalog.Incarnation) error {
	span := kv.PrefixSpan(dataPrefix(inc))
	size, err := c.m.store.Size(span)
	if err != nil {
		return err
	}
	if size > uint64(c.m.options.Overlay) {
		return c.drop(inc, true)
	}
	all, err := c.deleteEntries(ctx, span)
	if err != nil {
		return err
	}
	if !all {
		return c.drop(inc, true)
	}
	c.commit.counts[inc] = -1
	return c.txn.Delete(incarnationKey(spaceCounts, inc))
}

// deleteEntries deletes the entries of a span, unless there are too many.
func (c *Conn) deleteEntries(ctx context.Context, span kv.Span) (all bool, err error) {
	it, err := c.txn.NewIter(kv.IterOptions{Span: span})
	if err != nil {
		return false, err
	}
	defer it.Close()
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		if n++; n > maxDeletes {
			return false, nil
		}
		if n%vtab.BatchRows == 0 {
			if err := kv.Interrupted(ctx); err != nil {
				return false, err
			}
		}
		if err := c.txn.Delete(it.Key()); err != nil {
			return false, err
		}
	}
	return true, it.Err()
}

// readCounts notes the row counts that the commit publishes.
func (c *Conn) readCounts() error {
	for _, inc := range c.counted {
		if _, gone := c.commit.counts[inc]; gone {
			continue
		}
		n, err := readCount(c.txn, inc)
		if err != nil {
			return err
		}
		c.commit.counts[inc] = n
	}
	return nil
}

func (c *Conn) writeRecords(records []vtab.Record) error {
	for _, r := range records {
		prefix, err := recordPrefix(r.Space)
		if err != nil {
			return err
		}
		key := append([]byte{prefix}, r.Key...)
		if r.Value == nil {
			err = c.txn.Delete(key)
		} else {
			err = c.txn.Set(key, r.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeFacts writes the allocator, deletes the intent, and records what the commit retires.
func (c *Conn) writeFacts() error {
	if c.own.to > 0 {
		if err := c.txn.Set(nextKey, binary.AppendUvarint(nil, uint64(c.own.to))); err != nil {
			return err
		}
	}
	if c.own.listed > 0 {
		if err := c.txn.Delete(incarnationKey(spaceIntents, c.own.from)); err != nil {
			return err
		}
	}
	for _, inc := range c.commit.retired {
		if err := c.txn.Set(incarnationKey(spaceRetired, inc), nil); err != nil {
			return err
		}
	}
	return nil
}

// Commit implements vtab.Conn.
func (c *Conn) Commit(ctx context.Context) error {
	if c.state != connPrepared {
		return types.Errorf(types.MISUSE, "module %s: the transaction is not prepared", c.m.name)
	}
	if c.writing {
		c.m.write.Lock()
		err := c.txn.Commit(ctx, kv.CommitOptions{Dropped: c.commit.dropped, Sync: c.m.store.Durable()})
		c.m.write.Unlock()
		if err != nil {
			return types.Wrapf(types.IOERR, err, "module %s", c.m.name)
		}
		c.publish()
	}
	if err := c.end(); err != nil { // it cannot take the commit back
		c.m.options.Logger.Warn("a transaction that committed could not be closed", "module", c.m.name, "error", err)
	}
	return nil
}

// publish makes the commit the module's present state.
func (c *Conn) publish() {
	m := c.m
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seq++
	if err := m.pins.dropCurrent(); err != nil {
		m.options.Logger.Warn("a snapshot could not be closed", "module", m.name, "error", err)
	}
	for inc, n := range c.commit.counts {
		if n < 0 {
			delete(m.counts, inc)
		} else {
			m.counts[inc] = n
		}
	}
	for _, inc := range c.commit.retired {
		m.retired = append(m.retired, retired{
			span: kv.PrefixSpan(dataPrefix(inc)), record: incarnationKey(spaceRetired, inc), seq: m.seq,
		})
	}
}

// Rollback implements vtab.Conn. Calling it again, or after Commit, does nothing.
func (c *Conn) Rollback() error {
	if c.state == connEnded {
		return nil
	}
	if n := c.views.Load(); n > 0 {
		return types.Errorf(types.MISUSE, "module %s: the transaction cannot roll back while %d of its views are open", c.m.name, n)
	}
	c.abandon()
	return c.end()
}

// abandon forgets the incarnations that the transaction took, and leaves what was ingested to be cleared: only this transaction could read it.
func (c *Conn) abandon() {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	for inc := c.own.from; inc < c.own.to; inc++ {
		delete(c.m.counts, inc)
	}
	if len(c.own.ingested) == 0 {
		return
	}
	gone := retired{span: dataSpan(c.own.from, max(c.own.to, c.own.listed))}
	if c.own.listed > 0 {
		gone.record = incarnationKey(spaceIntents, c.own.from)
	}
	c.m.next = max(c.m.next, c.own.listed)
	c.m.retired = append(c.m.retired, gone)
}

// end gives up the writer's role and the snapshot.
func (c *Conn) end() error {
	c.state = connEnded
	err := c.txn.Close()
	c.m.mu.Lock()
	if c.writing {
		c.m.writer = nil
	}
	waiting := len(c.m.retired) > 0
	c.m.mu.Unlock()
	if e := c.m.release(c.snap); err == nil {
		err = e
	}
	if waiting {
		c.m.clearRetired()
	}
	return err
}
