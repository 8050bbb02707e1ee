package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// CheckReport is what a check has read and found.
type CheckReport struct {
	Tables int
	// Rows, and the entries of all indexes and UNIQUE constraints.
	Rows, Entries int64
	// Faults is empty for a sound database. Of many faults of one kind a few are listed.
	Faults []CheckFault
	// Broken are the rules that rows break. A CHECK that was added by hand was never tested on the rows that were there
	// (docs/reference/alter.md), and foreign keys let all pass while they are switched off; so these need not be damage.
	Broken []CheckFault
}

// CheckFault is something that is not as it should be.
type CheckFault struct {
	// Object is the table, view or assertion, "" when the fault lies in none.
	Object string
	// Message may spell keys, and so hold values of rows; see Masked.
	Message string
	// Rows are those that break a rule.
	Rows Offending

	fault vtab.CheckFault
}

// Masked is the message with every key put through mask.
func (f CheckFault) Masked(mask func(key string) string) string { return f.fault.Masked(mask) }

func newCheckFault(object string, fault vtab.CheckFault) CheckFault {
	return CheckFault{Object: object, Message: fault.String(), fault: fault}
}

func (f CheckFault) String() string {
	if f.Object == "" {
		return f.Message
	}
	return f.Object + ": " + f.Message
}

// Check reads everything in the committed state and compares it with what it should be:
//
//   - every row decodes, lies under its own key, and has values of its columns' types, none of them NULL where that is forbidden;
//   - indexes and UNIQUE constraints have exactly the entries that the rows call for, and row counts are right;
//   - on disk there is nothing that the catalog does not name, or that is not listed to be cleared;
//   - catalog records say what the open database believes, and the history has no gap.
//
// Then it judges CHECK constraints (those that speak of a row as it is), foreign keys, generated columns and assertions. It takes no lock, runs beside readers and a writer, and takes time
// and reads as a full scan of all tables and indexes does. The error is for what keeps the check from being carried out; what is
// wrong with the data is in the report.
func (db *DB) Check(ctx context.Context) (*CheckReport, error) {
	c := db.Conn()
	defer c.Close()
	k := &checking{conn: c, report: &CheckReport{}}
	err := c.reads(func(read *reading) error {
		k.read = read
		return k.run(ctx)
	})
	if err != nil {
		return nil, err
	}
	return k.report, nil
}

// DamagedReport is the report on a database that cannot even be opened, because of err.
func DamagedReport(err error) *CheckReport {
	return &CheckReport{Faults: []CheckFault{newCheckFault("", vtab.CheckFaultf("%s", err))}}
}

// integrity answers PRAGMA integrity_check: a row for each fault of the committed state, or one that says ok.
func (c *Conn) integrity(ctx context.Context) (*Rows, error) {
	r, err := c.db.Check(ctx)
	if err != nil {
		return nil, err
	}
	var rows []types.Row
	for _, f := range append(r.Faults, r.Broken...) {
		text := f.String()
		if f.Rows.Count > 0 {
			text += fmt.Sprintf(" (rows: %d)", f.Rows.Count)
		}
		rows = append(rows, pragmaRow(integrityCheck, types.Text(text)))
	}
	if rows == nil {
		rows = []types.Row{pragmaRow(integrityCheck, types.Text("ok"))}
	}
	return fixedRows(pragmaColumns, rows), nil
}

// integrityCheck is the pragma that checks the database. It is no setting.
const integrityCheck = "integrity_check"

// checking is a check under way.
type checking struct {
	conn   *Conn
	read   *reading
	report *CheckReport
}

func (k *checking) fault(object, format string, args ...any) {
	k.add(object, vtab.CheckFaultf(format, args...))
}

func (k *checking) add(object string, fault vtab.CheckFault) {
	k.report.Faults = append(k.report.Faults, newCheckFault(object, fault))
}

func (k *checking) run(ctx context.Context) error {
	tables := make([][]*catalog.Table, len(k.conn.db.modules))
	cat := k.read.cat()
	for _, schema := range cat.Schemas() {
		for t := range cat.Tables(schema) {
			m, err := k.conn.db.moduleOf(t)
			if err != nil {
				k.fault(nameOfTable(t), "%s", err)
				continue
			}
			tables[m.index] = append(tables[m.index], t)
		}
	}
	if err := k.unreadable("the catalog's records", k.catalog(ctx)); err != nil {
		return err
	}
	if err := k.unreadable("the history", k.history(ctx)); err != nil {
		return err
	}
	for i, m := range k.conn.db.modules {
		if err := k.module(ctx, m, tables[i]); err != nil {
			return err
		}
	}
	if len(k.report.Faults) > 0 {
		return nil // rules over rows that cannot be trusted tell nothing
	}
	return k.rules(ctx)
}

// unreadable takes damage that ended the reading of something for a fault; other errors it gives back.
func (k *checking) unreadable(what string, err error) error {
	if types.CodeOf(err) != types.CORRUPT {
		return err
	}
	k.fault("", "%s cannot be read to the end: %s", what, err)
	return nil
}

// isFaulty reports whether a fault of the table was told.
func (k *checking) isFaulty(t *catalog.Table) bool {
	return slices.ContainsFunc(k.report.Faults, func(f CheckFault) bool { return f.Object == nameOfTable(t) })
}

func nameOfTable(t *catalog.Table) string { return t.Schema + "." + t.Name }

// module checks the tables of a module, by its own means and by reading them as statements do.
func (k *checking) module(ctx context.Context, m *module, tables []*catalog.Table) error {
	k.report.Tables += len(tables)
	own, err := k.own(ctx, m, tables)
	if err != nil {
		return err
	}
	var rows int64
	for _, t := range tables {
		n, err := k.rows(ctx, t)
		if err != nil {
			return err
		}
		rows += n
	}
	k.report.Rows += rows
	if own != nil && own.Rows != rows && !slices.ContainsFunc(tables, k.isFaulty) {
		k.fault("", "module %s holds %d rows, and %d are read", m.name, own.Rows, rows)
	}
	return nil
}

// own has a module check itself; nil when it cannot.
func (k *checking) own(ctx context.Context, m *module, tables []*catalog.Table) (*vtab.CheckResult, error) {
	checker, ok := m.vtab.(vtab.Checker)
	if !ok {
		return nil, nil
	}
	specs := make([]*vtab.TableSpec, len(tables))
	for i, t := range tables {
		spec, err := k.conn.tableSpec(ctx, k.read.cat(), t)
		if err != nil {
			k.fault(nameOfTable(t), "an expression of its indexes cannot be compiled: %s", err)
			continue
		}
		specs[i] = spec
	}
	r, err := checker.Check(ctx, &vtab.CheckRequest{
		Pin: k.read.base.pins[m.index], Tables: tables, Specs: specs,
		Report: func(t *catalog.Table, fault vtab.CheckFault) {
			if t == nil {
				k.fault("", "module %s: %s", m.name, fault)
			} else {
				k.add(nameOfTable(t), fault)
			}
		},
	})
	k.report.Entries += r.Entries
	return &r, err
}

// maxStrays is how many values that do not belong into a table are told.
const maxStrays = 10

// rows reads a table and judges its values. A table that cannot be read to its end is a fault.
func (k *checking) rows(ctx context.Context, t *catalog.Table) (n int64, err error) {
	table, err := k.read.OpenTable(ctx, t, false)
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := table.Close(); err == nil {
			err = e
		}
	}()
	cursor, err := table.Scan(ctx, &vtab.Filter{Columns: vtab.AllColumns(len(t.Columns))})
	if err != nil {
		return 0, err
	}
	defer cursor.Close()
	strays := 0
	for row, err := range vtab.Rows(ctx, cursor, len(t.Columns)) {
		if err != nil {
			if types.CodeOf(err) != types.CORRUPT {
				return n, err
			}
			if !k.isFaulty(t) { // else its module has told of it
				k.fault(nameOfTable(t), "it cannot be read: %s", err)
			}
			return n, nil
		}
		n++
		for i, c := range t.Columns {
			if stray := strayValue(c, row[i]); stray != "" && strays < maxStrays {
				strays++
				k.fault(nameOfTable(t), "row %s: column %s %s", vtab.KeyText(keyText(t, row)), c.Name, stray)
			}
		}
	}
	return n, nil
}

// strayValue says what is wrong with a value in a column, "" for nothing.
func strayValue(c *catalog.Column, v types.Value) string {
	switch {
	case v.IsNull() && c.NotNull:
		return "is NULL"
	case !v.IsNull() && c.Type.Valid != nil && !c.Type.Valid(v):
		return "holds a value that is no " + c.Type.Name
	}
	return ""
}

// keyText spells the key of a row.
func keyText(t *catalog.Table, row types.Row) string {
	var key types.Row
	for _, c := range t.Key.Columns {
		key = append(key, row[c.Column])
	}
	return string(types.AppendWireRow(nil, key))
}

// catalog compares the records with the catalog that the state has in memory. Both are printed anew, so that a record which an
// older release wrote in other words is as good.
func (k *checking) catalog(ctx context.Context) error {
	stored := &storedCatalog{edit: catalog.NewSnapshot().Edit(), homes: map[string]*module{}}
	for i, m := range k.conn.db.modules {
		if m.records == nil {
			continue
		}
		err := m.records.ReadRecords(ctx, k.read.base.pins[i], vtab.CatalogRecords, func(key, value []byte) error {
			k.record(stored, m, key, value)
			return nil
		})
		if err != nil {
			return err
		}
	}
	k.compare(stored.edit.Done(), stored.homes)
	return nil
}

// storedCatalog is the catalog as its records have it, with the modules that have them, by the records' keys.
type storedCatalog struct {
	edit  *catalog.Edit
	homes map[string]*module
}

// record takes a record into the stored catalog.
func (k *checking) record(to *storedCatalog, m *module, key, value []byte) {
	what := fmt.Sprintf("record %x", key)
	if !bytes.Equal(key, catalog.RecordKey(catalog.MetaRecord, 0)) {
		h, _, err := catalog.DecodeHeader(value)
		if err != nil {
			k.fault("", "%s: %s", what, err)
			return
		}
		if want := catalog.RecordKey(h.Kind, h.ID); !bytes.Equal(key, want) {
			k.fault(h.Schema+"."+h.Name, "its record lies under the key %x and not under %x", key, want)
		}
	}
	if other := to.homes[string(key)]; other != nil {
		k.fault("", "%s is in module %s and in module %s", what, other.name, m.name)
	}
	to.homes[string(key)] = m
	if err := to.edit.PutRecord(value, k.conn.db.types); err != nil {
		k.fault("", "%s: %s", what, err)
	}
}

// compare compares two catalogs object by object.
func (k *checking) compare(stored *catalog.Snapshot, homes map[string]*module) {
	if have, want := stored.Schemas(), k.read.cat().Schemas(); !slices.Equal(have, want) {
		k.fault("", "the records have schemas %q, and the open database has %q", have, want)
	}
	records := map[string][]byte{}
	for _, c := range catalog.Changes(catalog.NewSnapshot(), stored) {
		r := record(c)
		records[string(r.Key)] = r.Value
	}
	for _, c := range catalog.Changes(catalog.NewSnapshot(), k.read.cat()) {
		r := record(c)
		kept, ok := records[string(r.Key)]
		delete(records, string(r.Key))
		switch {
		case !ok:
			k.fault(nameOfObject(c.After), "it has no record")
		case !bytes.Equal(kept, r.Value):
			k.fault(nameOfObject(c.After), "its record says something else than the open database")
		case homes[string(r.Key)] != k.conn.db.keeper(c):
			k.fault(nameOfObject(c.After), "module %s has its record", homes[string(r.Key)].name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(records)) {
		k.fault("", "record %x is of nothing that the open database knows", key)
	}
}

func nameOfObject(o catalog.Object) string {
	switch o := o.(type) {
	case *catalog.View:
		return o.Schema + "." + o.Name
	case *catalog.Assertion:
		return o.Schema + "." + o.Name
	}
	return nameOfTable(o.(*catalog.Table))
}

// history checks that the entries can be read and are numbered without a gap.
func (k *checking) history(ctx context.Context) error {
	home := k.conn.db.home
	next := uint64(1)
	return home.records.ReadRecords(ctx, k.read.base.pins[home.index], vtab.HistoryRecords, func(key, value []byte) error {
		var e HistoryEntry
		if err := json.Unmarshal(value, &e); err != nil {
			k.fault("", "history entry %d cannot be read: %s", next, err)
		} else if e.Number != next || !bytes.Equal(key, binary.BigEndian.AppendUint64(nil, next)) {
			k.fault("", "history entry %d is numbered %d, under the key %x", next, e.Number, key)
		}
		next++
		return nil
	})
}
