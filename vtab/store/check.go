package store

import (
	"context"
	"hash/maphash"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

var _ vtab.Checker = (*Module)(nil)

// Check implements vtab.Checker. Every row must decode and lie under its own key; the entries of every structure must be exactly
// those that the rows call for; the row counts must be right; every range must belong to a table, or be listed as one that is
// still to be cleared; and the checksums of the store's files must be right.
//
// Entries are compared by a checksum that does not depend on order, so a sound table is read once, structure by structure, without
// a lookup. Only where checksums differ are entries and rows looked up one by one, to tell which ones are wrong.
func (m *Module) Check(ctx context.Context, r *vtab.CheckRequest) (vtab.CheckResult, error) {
	own, err := m.pinOf(r.Pin)
	if err != nil {
		return vtab.CheckResult{}, err
	}
	c := &check{ctx: ctx, request: r, reader: own.reader(), seed: maphash.MakeSeed(), owners: map[catalog.Incarnation]*catalog.Table{}}
	for i, t := range r.Tables {
		if err := c.table(m, t, r.Specs[i]); err != nil {
			return c.result, types.Wrapf(types.IOERR, err, "table %s", t.Name)
		}
	}
	err = c.ranges()
	if types.CodeOf(err) == types.CORRUPT {
		c.faults(nil).add("what the store holds cannot be read to the end: %s", err)
		err = nil
	}
	if v, ok := m.store.(kv.Verifier); ok && err == nil {
		f := c.faults(nil)
		err = v.Verify(ctx, func(file string, err error) { f.add("file %s is damaged: %s", file, err) })
	}
	if err != nil {
		return c.result, types.Wrapf(types.IOERR, err, "module %s", m.name)
	}
	return c.result, nil
}

// check is a check under way.
type check struct {
	ctx     context.Context
	request *vtab.CheckRequest
	reader  kv.Reader
	seed    maphash.Seed
	// owners are the tables by the incarnations that they name.
	owners map[catalog.Incarnation]*catalog.Table
	result vtab.CheckResult
}

// maxTold is how many faults of one kind are told.
const maxTold = 10

// faults tells of the faults of one kind.
type faults struct {
	report func(t *catalog.Table, fault vtab.CheckFault)
	table  *catalog.Table
	n      int
}

func (c *check) faults(t *catalog.Table) *faults { return &faults{report: c.request.Report, table: t} }

func (f *faults) add(format string, args ...any) {
	if f.n++; f.n <= maxTold {
		f.report(f.table, vtab.CheckFaultf(format, args...))
	}
}

// enough reports whether looking for more makes no sense.
func (f *faults) enough() bool { return f.n >= maxTold }

// each visits the entries of a span until visit gives false.
func (c *check) each(span kv.Span, visit func(key, value []byte) (bool, error)) error {
	it, err := c.reader.NewIter(kv.IterOptions{Span: span})
	if err != nil {
		return err
	}
	defer it.Close()
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		if n++; n%vtab.BatchRows == 0 {
			if err := kv.Interrupted(c.ctx); err != nil {
				return err
			}
		}
		if on, err := visit(it.Key(), it.Value()); err != nil || !on {
			return err
		}
	}
	return it.Err()
}

// checksum is the number of entries and the sum of their hashes.
type checksum struct {
	n   int64
	sum uint64
}

func (s *checksum) add(h *maphash.Hash, key, value []byte) {
	h.Reset()
	// A key of a table begins no other, so nothing need stand between the two.
	_, _ = h.Write(key)
	_, _ = h.Write(value)
	s.n++
	s.sum += h.Sum64()
}

// tableCheck is the check of one table.
type tableCheck struct {
	*check
	shape   *shape
	spec    *vtab.TableSpec
	decoder *decoder
	row     types.Row
	arena   types.Arena
	pk      []byte
	entry   entry
	hash    maphash.Hash
}

func (c *check) table(m *Module, t *catalog.Table, spec *vtab.TableSpec) error {
	f := c.faults(t)
	for _, inc := range incarnations(t) {
		if other := c.owners[inc]; other != nil {
			f.add("range %d belongs to table %s, too", inc, other.Name)
		}
		c.owners[inc] = t
	}
	s, err := m.shapeOf(t)
	if err != nil {
		f.add("%s", err)
		return nil
	}
	tc := &tableCheck{
		check: c, shape: s, spec: spec, decoder: s.decoder(vtab.AllColumns(s.rows.width)), row: make(types.Row, s.rows.width),
	}
	tc.hash.SetSeed(c.seed)
	return tc.run()
}

func (c *tableCheck) run() error {
	want := make([]checksum, len(c.shape.others))
	rows, err := c.rows(want)
	c.result.Rows += rows
	if err == nil {
		err = c.count(rows)
	}
	readable := err == nil // what the rows call for is known
	if err := c.unreadable("it", err); err != nil {
		return err
	}
	for i, s := range c.shape.others {
		var have checksum
		err := c.each(kv.PrefixSpan(s.prefix), func(key, value []byte) (bool, error) {
			have.add(&c.hash, key, value)
			return true, nil
		})
		c.result.Entries += have.n
		if err == nil && readable && have != want[i] && c.computable(s) {
			err = c.explain(s, have.n, want[i].n)
		}
		if err := c.unreadable(c.shape.describe(s), err); err != nil {
			return err
		}
	}
	return nil
}

// unreadable takes damage that ended the reading of a part of the table for a fault of it; other errors it gives back.
func (c *tableCheck) unreadable(part string, err error) error {
	if types.CodeOf(err) != types.CORRUPT {
		return err
	}
	c.faults(c.shape.table).add("%s cannot be read to the end: %s", part, err)
	return nil
}

// rows reads all rows and sums up the entries that they call for, one sum a structure of shape.others.
func (c *tableCheck) rows(want []checksum) (n int64, err error) {
	f := c.faults(c.shape.table)
	err = c.each(kv.PrefixSpan(c.shape.primary.prefix), func(key, value []byte) (bool, error) {
		n++
		if fault, ok := c.load(key, value); !ok {
			f.add("row %s: %s", keyText(key), fault)
			return true, nil
		}
		for i, s := range c.shape.others {
			if !c.computable(s) {
				continue
			}
			if err := s.compute(&c.entry, c.row, c.pk, c.spec); err != nil {
				f.add("row %s: its entry in %s cannot be computed: %s", keyText(key), c.shape.describe(s), err)
				continue
			}
			if c.entry.present {
				want[i].add(&c.hash, c.entry.key, c.entry.value)
			}
		}
		return true, nil
	})
	return n, err
}

// computable reports whether the entries of a structure can be told from the rows.
func (c *tableCheck) computable(s *structure) bool { return c.spec != nil || !s.computed }

// load decodes a row and computes its key; a fault when either does not fit.
func (c *tableCheck) load(key, value []byte) (fault vtab.CheckFault, ok bool) {
	flaw := func(format string, args ...any) (vtab.CheckFault, bool) {
		return vtab.CheckFaultf(format, args...), false
	}
	c.arena.Reset()
	if err := c.shape.rows.measure(value); err != nil {
		return flaw("%s", err)
	}
	if err := c.decoder.decode(c.row, value, &c.arena); err != nil {
		return flaw("%s", err)
	}
	for i, v := range c.row {
		if !utf8.ValidString(v.Str()) {
			return flaw("column %s holds a text that is no UTF-8", c.shape.table.Columns[i].Name)
		}
	}
	p := c.shape.primary
	var err error
	if c.pk, err = p.appendPrimaryKey(c.pk[:0], c.row); err != nil {
		return flaw("its key cannot be computed: %s", err)
	}
	if string(c.pk) != string(key[len(p.prefix):]) {
		return flaw("its values give the key %s", vtab.KeyText(types.FormatKey(c.pk)))
	}
	return vtab.CheckFault{}, true
}

// sound is load for who need not know what is wrong.
func (c *tableCheck) sound(key, value []byte) bool {
	_, ok := c.load(key, value)
	return ok
}

// keyText spells a key of the store.
func keyText(key []byte) vtab.KeyText { return vtab.KeyText(formatKey(key)) }

// count compares the number of rows with the one that is kept beside them.
func (c *tableCheck) count(rows int64) error {
	kept, err := readCount(c.reader, c.shape.primary.inc)
	if err != nil {
		return err
	}
	if kept != rows {
		c.faults(c.shape.table).add("it has %d rows, and is said to have %d", rows, kept)
	}
	return nil
}

// describe names a structure for people.
func (s *shape) describe(x *structure) string {
	if x.kind == indexKind {
		return "index " + s.table.Indexes[x.ordinal].Name
	}
	return "unique constraint " + s.table.StructureName(s.table.Uniques[x.ordinal])
}

// explain finds out why a structure does not have the entries that the rows call for.
func (c *tableCheck) explain(s *structure, have, want int64) error {
	f := c.faults(c.shape.table)
	name := c.shape.describe(s)
	if have != want {
		f.add("%s has %d entries, its rows call for %d", name, have, want)
	}
	before := f.n
	if err := c.explainEntries(s, name, f); err != nil {
		return err
	}
	if err := c.explainRows(s, name, f); err != nil {
		return err
	}
	if f.n == before && have == want {
		f.add("%s does not have the entries that its rows call for", name)
	}
	return nil
}

// explainEntries looks for entries that no row calls for.
func (c *tableCheck) explainEntries(s *structure, name string, f *faults) error {
	return c.each(kv.PrefixSpan(s.prefix), func(key, value []byte) (bool, error) {
		pk, err := s.primaryKeyOf(key, value)
		if err != nil {
			f.add("%s: %s", name, err)
			return !f.enough(), nil
		}
		rowKey := append(append([]byte(nil), c.shape.primary.prefix...), pk...)
		row, found, err := c.reader.Get(rowKey, nil)
		switch {
		case err != nil:
			return false, err
		case !found:
			f.add("%s: entry %s leads to no row", name, keyText(key))
		case !c.sound(rowKey, row):
			// The row itself was told of.
		case s.compute(&c.entry, c.row, c.pk, c.spec) == nil && !c.entry.is(key, value):
			f.add("%s: entry %s is not the one of its row %s", name, keyText(key), keyText(rowKey))
		}
		return !f.enough(), nil
	})
}

func (e *entry) is(key, value []byte) bool {
	return e.present && string(e.key) == string(key) && string(e.value) == string(value)
}

// explainRows looks for rows without their entry.
func (c *tableCheck) explainRows(s *structure, name string, f *faults) error {
	return c.each(kv.PrefixSpan(c.shape.primary.prefix), func(key, value []byte) (bool, error) {
		if !c.sound(key, value) || s.compute(&c.entry, c.row, c.pk, c.spec) != nil || !c.entry.present {
			return true, nil
		}
		have, found, err := c.reader.Get(c.entry.key, nil)
		switch {
		case err != nil:
			return false, err
		case !found:
			f.add("%s: row %s has no entry", name, keyText(key))
		case s.unique && string(have) != string(c.entry.value):
			f.add("%s: row %s has the same values as row %s", name, keyText(key), vtab.KeyText(types.FormatKey(have)))
		}
		return !f.enough(), nil
	})
}
