package engine

import (
	"context"
	"errors"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// loadCatalog reads the records of every module that keeps some. A record that cannot be read is an error naming its object.
func (db *DB) loadCatalog(ctx context.Context) (*catalog.Snapshot, error) {
	edit := catalog.NewSnapshot().Edit()
	for _, m := range db.modules {
		if m.records == nil {
			continue
		}
		if err := db.loadRecords(ctx, m, edit); err != nil {
			return nil, err
		}
	}
	return edit.Done(), nil
}

func (db *DB) loadRecords(ctx context.Context, m *module, edit *catalog.Edit) error {
	var pin vtab.Pin
	if m.transactor != nil {
		p, err := m.transactor.Pin(ctx)
		if err != nil {
			return err
		}
		defer p.Close()
		pin = p
	}
	err := m.records.ReadRecords(ctx, pin, vtab.CatalogRecords, func(_, value []byte) error {
		return edit.PutRecord(value, db.types)
	})
	if err != nil {
		return err
	}
	return m.records.ReadRecords(ctx, pin, vtab.MetaRecords, func(key, value []byte) error {
		if s := catalog.DecodeStatistics(value); s != nil && catalog.IsStatisticsKey(key) {
			edit.PutStatistics(s)
		}
		return nil
	})
}

// commit makes the transaction's changes visible and durable, rows and catalog as one (docs/reference/language.md). A failure before a module has
// committed rolls everything back and is the error of the commit.
func (t *tx) commit(ctx context.Context) error {
	defer t.ensureEnded()
	if err := t.checkDeferred(ctx); err != nil {
		return t.abort(err)
	}
	plans, err := t.planCommit(ctx)
	if err != nil {
		return t.abort(err)
	}
	if !t.writing {
		return t.end(nil)
	}
	for i, p := range t.parts {
		if p == nil {
			continue
		}
		if err := p.Prepare(ctx, plans[i]); err != nil {
			return t.abort(err)
		}
	}
	return t.end(t.publish(ctx))
}

// abort rolls back and gives the cause.
func (t *tx) abort(cause error) error {
	if err := t.rollback(); err != nil {
		return types.Wrapf(types.IOERR, err, "the transaction failed (%s) and could not be rolled back", cause)
	}
	return cause
}

// publish commits the modules, durable ones first, and shows the result to new readers. A durable module that fails has written
// nothing; the others are rolled back then. Modules in memory cannot fail.
func (t *tx) publish(ctx context.Context) error {
	t.db.commitMu.Lock()
	defer t.db.commitMu.Unlock()
	ctx = context.WithoutCancel(ctx)
	for _, durable := range []bool{true, false} {
		for i, p := range t.parts {
			if p == nil || t.db.modules[i].durable() != durable {
				continue
			}
			if err := p.Commit(ctx); err != nil {
				return errors.Join(err, t.each(vtab.Conn.Rollback))
			}
			t.parts[i] = nil
		}
	}
	t.db.seq++
	if t.undoable != nil {
		t.db.undo.Store(t.undoable)
	}
	v, err := t.db.newView(ctx, t.cat)
	if err != nil {
		return err
	}
	return t.db.views.publish(v)
}

// planCommit says, by module, what each part has to write beside its rows: changed tables with their records in their own module,
// everything else in the home module.
func (t *tx) planCommit(ctx context.Context) ([]*vtab.Commit, error) {
	plans := make([]*vtab.Commit, len(t.parts))
	for i := range plans {
		plans[i] = &vtab.Commit{}
	}
	home := t.db.home.index
	if t.cat == t.base.cat && len(t.records) == 0 {
		if t.parts[home] != nil {
			plans[home].Records = t.undoRecords()
		}
		return plans, nil
	}
	for _, c := range t.changes() {
		if c.Kind == catalog.TableKind && c.After == nil {
			t.forgetStatistics(c.ID)
		}
		m := t.db.keeper(c) // of the record
		if _, err := t.part(ctx, m); err != nil {
			return nil, err
		}
		p := plans[m.index]
		p.Records = append(p.Records, record(c))
		if c.Kind == catalog.TableKind {
			if own := t.db.own(c, m); own != (vtab.TableChange{}) {
				p.Tables = append(p.Tables, own)
			}
		}
	}
	if _, err := t.part(ctx, t.db.home); err != nil {
		return nil, err
	}
	p := plans[home]
	for _, c := range catalog.StatisticsChanges(t.base.cat, t.cat) {
		r := vtab.Record{Space: vtab.MetaRecords, Key: catalog.StatisticsKey(c.Table)}
		if c.After != nil {
			r.Value = catalog.EncodeStatistics(c.After)
		}
		p.Records = append(p.Records, r)
	}
	p.Records = append(append(append(p.Records, t.records...), t.undoRecords()...), vtab.Record{
		Space: vtab.CatalogRecords, Key: catalog.RecordKey(catalog.MetaRecord, 0), Value: catalog.EncodeMeta(t.cat),
	})
	return plans, nil
}

// own gives the sides of a table's change that are a module's own tables. The record may be kept by the home module for another one.
func (db *DB) own(c catalog.ObjectChange, m *module) (own vtab.TableChange) {
	if t, ok := c.Before.(*catalog.Table); ok && db.module(t.Module) == m {
		own.Before = t
	}
	if t, ok := c.After.(*catalog.Table); ok && db.module(t.Module) == m {
		own.After = t
	}
	return own
}

// forgetStatistics drops what is known of a table that goes.
func (t *tx) forgetStatistics(table catalog.ID) {
	if t.cat.Statistics(table) == nil {
		return
	}
	e := t.cat.Edit()
	e.DropStatistics(table)
	t.cat = e.Done()
}

// changes lists the objects that the transaction changes. A table that has moved to another module goes from the one and comes to the
// other.
func (t *tx) changes() []catalog.ObjectChange {
	var out []catalog.ObjectChange
	for _, c := range catalog.Changes(t.base.cat, t.cat) {
		before, wasTable := c.Before.(*catalog.Table)
		after, isTable := c.After.(*catalog.Table)
		if !wasTable || !isTable || t.db.module(before.Module) == t.db.module(after.Module) {
			out = append(out, c)
			continue
		}
		gone, come := c, c
		gone.After, come.Before = nil, nil
		if t.db.keeper(gone) == t.db.keeper(come) { // one record, which must not be deleted behind its back
			out = append(out, c)
			continue
		}
		out = append(out, gone, come)
	}
	return out
}

// keeper is the module that keeps an object's record: a table's own, when it can.
func (db *DB) keeper(c catalog.ObjectChange) *module {
	t, ok := c.After.(*catalog.Table)
	if !ok {
		t, ok = c.Before.(*catalog.Table)
	}
	if ok {
		if m := db.module(t.Module); m != nil && m.records != nil && m.transactor != nil {
			return m
		}
	}
	return db.home
}

// record is the catalog record that a change writes or deletes.
func record(c catalog.ObjectChange) vtab.Record {
	r := vtab.Record{Space: vtab.CatalogRecords}
	switch o := c.After.(type) {
	case *catalog.Table:
		r.Value = catalog.EncodeTable(o)
	case *catalog.View:
		r.Value = catalog.EncodeView(o)
	case *catalog.Assertion:
		r.Value = catalog.EncodeAssertion(o)
	}
	r.Key = catalog.RecordKey(recordKind(c.Kind), c.ID)
	return r
}

func recordKind(k catalog.ObjectKind) catalog.RecordKind {
	switch k {
	case catalog.ViewKind:
		return catalog.ViewRecord
	case catalog.AssertionKind:
		return catalog.AssertionRecord
	}
	return catalog.TableRecord
}

func (m *module) durable() bool { return m.records != nil && m.records.Durable() }
