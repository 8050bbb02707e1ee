package store

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// What stands behind an incarnation. A key member is encoded by types.KeyPart, so all of it orders by bytes; "key" below is the
// bytes of the primary key without the incarnation.
//
//	rows               key                  → row (row.go)
//	plain index        members, key         → length of the key (uvarint)
//	unique structure   members              → key        when no member is NULL
//	                   members, key         → key        when one is: it is exempt from the rule
//
// A partial index has entries only for rows that its predicate holds for. Entries with NULLs are kept, so IS NULL is a seek.

// structureKind tells the structures of a table apart.
type structureKind uint8

const (
	primaryKind structureKind = iota
	uniqueKind                // the covering structure of a UNIQUE constraint
	indexKind
)

// structure is a key range of a table, resolved: its rows, or the entries of a UNIQUE constraint or an index. Immutable.
type structure struct {
	kind    structureKind
	ordinal int // position in Table.Uniques or Table.Indexes
	// prefix is what all keys of the range begin with.
	prefix  []byte
	inc     catalog.Incarnation
	members []member
	unique  bool
	partial bool
	// computed tells that the entries need the functions of a TableSpec.
	computed   bool
	onConflict ast.ConflictAction
}

// member is one member of a structure's key.
type member struct {
	part types.KeyPart
	// column is the position in the table, -1 for an expression.
	column int
	desc   bool
	typ    *types.Type // nil for an expression
	// collation is the one that the key folds by: Binary for a type that heeds none.
	collation *types.Collation
	notNull   bool
}

// newMember resolves a member over a column.
func newMember(t *catalog.Table, column int, collation *types.Collation, desc bool) (member, error) {
	c := t.Columns[column]
	part, err := types.NewKeyPart(c.Type, collation, desc)
	if err != nil {
		return member{}, types.Wrapf(types.ERROR, err, "table %s: column %s cannot be in a key", t.Name, c.Name)
	}
	return member{part: part, column: column, desc: desc, typ: c.Type, collation: keyCollation(c.Type, collation), notNull: c.NotNull}, nil
}

// keyCollation gives the collation that keys of a type heed.
func keyCollation(t *types.Type, c *types.Collation) *types.Collation {
	if c == nil || t != nil && !t.CollationAware {
		return types.Binary
	}
	return c
}

func newPrimary(t *catalog.Table) (*structure, error) {
	s := &structure{
		kind: primaryKind, inc: t.Storage.Incarnation, prefix: dataPrefix(t.Storage.Incarnation),
		unique: true, onConflict: t.Key.OnConflict,
	}
	for _, k := range t.Key.Columns {
		m, err := newMember(t, k.Column, t.Columns[k.Column].Collation, k.Desc)
		if err != nil {
			return nil, err
		}
		s.members = append(s.members, m)
	}
	return s, nil
}

func newUnique(t *catalog.Table, ordinal int) (*structure, error) {
	u := t.Uniques[ordinal]
	s := &structure{
		kind: uniqueKind, ordinal: ordinal, inc: u.Incarnation, prefix: dataPrefix(u.Incarnation),
		unique: true, onConflict: u.OnConflict,
	}
	for _, c := range u.Columns {
		m, err := newMember(t, c, t.Columns[c].Collation, false)
		if err != nil {
			return nil, err
		}
		s.members = append(s.members, m)
	}
	return s, nil
}

func newIndex(t *catalog.Table, ordinal int) (*structure, error) {
	ix := t.Indexes[ordinal]
	s := &structure{
		kind: indexKind, ordinal: ordinal, inc: ix.Incarnation, prefix: dataPrefix(ix.Incarnation),
		unique: ix.Unique, partial: ix.Where != nil, computed: ix.Where != nil,
	}
	for _, im := range ix.Members {
		m, err := newIndexMember(t, im)
		if err != nil {
			return nil, err
		}
		s.members = append(s.members, m)
		s.computed = s.computed || m.column < 0
	}
	return s, nil
}

func newIndexMember(t *catalog.Table, im catalog.IndexMember) (member, error) {
	if im.X == nil {
		return newMember(t, im.Column, im.Collation, im.Desc)
	}
	part, err := types.NewKeyPart(nil, im.Collation, im.Desc)
	if err != nil {
		return member{}, types.Wrapf(types.ERROR, err, "table %s: expression cannot be in a key", t.Name)
	}
	return member{part: part, column: -1, desc: im.Desc, collation: keyCollation(nil, im.Collation)}, nil
}

// appendPrimaryKey appends the bytes of the row's key.
func (s *structure) appendPrimaryKey(dst []byte, row types.Row) ([]byte, error) {
	start := len(dst)
	for i := range s.members {
		var err error
		if dst, err = s.members[i].part.Append(dst, row[s.members[i].column]); err != nil {
			return dst[:start], err
		}
	}
	return dst, nil
}

// entry is one entry of an index or UNIQUE structure, in buffers that are used again.
type entry struct {
	// present is false when the predicate leaves the row out; then nothing else counts.
	present bool
	// null tells that a member is NULL, so the entry obeys no uniqueness.
	null bool
	// written tells that the entry is in the transaction already.
	written    bool
	key, value []byte
}

// exclusive tells that no other row may have the entry's key.
func (e *entry) exclusive(s *structure) bool { return e.present && s.unique && !e.null }

// compute sets e to the entry of row, whose primary key is pk. spec is needed when s.computed.
func (s *structure) compute(e *entry, row types.Row, pk []byte, spec *vtab.TableSpec) error {
	e.present, e.null, e.written = true, false, false
	if s.partial {
		ok, err := spec.Predicates[s.ordinal](row)
		if err != nil || !ok {
			e.present = false
			return err
		}
	}
	e.key = append(e.key[:0], s.prefix...)
	for i := range s.members {
		m := &s.members[i]
		v, err := s.memberValue(i, row, spec)
		if err != nil {
			return err
		}
		e.null = e.null || v.IsNull()
		if e.key, err = m.part.Append(e.key, v); err != nil {
			return err
		}
	}
	if !s.unique || e.null {
		e.key = append(e.key, pk...)
	}
	if s.unique {
		e.value = append(e.value[:0], pk...)
	} else {
		e.value = binary.AppendUvarint(e.value[:0], uint64(len(pk)))
	}
	return nil
}

func (s *structure) memberValue(i int, row types.Row, spec *vtab.TableSpec) (types.Value, error) {
	if c := s.members[i].column; c >= 0 {
		return row[c], nil
	}
	return spec.Members[s.ordinal][i](row)
}

// primaryKeyOf gives the bytes of the primary key that an entry leads to; they share memory with key and value.
func (s *structure) primaryKeyOf(key, value []byte) ([]byte, error) {
	if s.unique {
		return value, nil
	}
	n, err := readUvarint(value)
	if err != nil || n > uint64(len(key)-len(s.prefix)) {
		return nil, types.Errorf(types.CORRUPT, "index entry %s is damaged", formatKey(key))
	}
	return key[len(key)-int(n):], nil
}

// shape is a table resolved for work on its rows and entries. Immutable and safe for concurrent use; it is made once for a
// *catalog.Table (Module.shapeOf).
type shape struct {
	table   *catalog.Table
	rows    *rowFormat
	primary *structure
	// others are the UNIQUE structures, then the indexes, each in order of declaration.
	others []*structure
	// computed tells that some structure needs the functions of a TableSpec.
	computed bool
	// hasRules tells that some structure beside the primary key is unique.
	hasRules bool
	// decoders are those that were asked for, to be used again.
	decoders atomic.Pointer[[]*decoder]
}

// newShape resolves t. It fails when a collation of t can key nothing.
func newShape(t *catalog.Table) (*shape, error) {
	s := &shape{table: t}
	var err error
	if s.rows, err = newRowFormat(t); err != nil {
		return nil, err
	}
	if s.primary, err = newPrimary(t); err != nil {
		return nil, err
	}
	for i := range t.Uniques {
		if err := s.add(newUnique(t, i)); err != nil {
			return nil, err
		}
	}
	for i := range t.Indexes {
		if err := s.add(newIndex(t, i)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *shape) add(x *structure, err error) error {
	if err != nil {
		return err
	}
	s.others = append(s.others, x)
	s.computed = s.computed || x.computed
	s.hasRules = s.hasRules || x.unique
	return nil
}

// structure gives the structure that an access walks.
func (s *shape) structure(ix *vtab.IndexRef) *structure {
	switch {
	case ix == nil || ix.Primary:
		return s.primary
	case ix.Unique >= 0:
		return s.others[ix.Unique]
	}
	return s.others[len(s.table.Uniques)+ix.Index]
}

// position gives the place of a structure among all of the table: 0 for the primary key.
func (s *shape) position(x *structure) int {
	switch x.kind {
	case primaryKind:
		return 0
	case uniqueKind:
		return 1 + x.ordinal
	}
	return 1 + len(s.table.Uniques) + x.ordinal
}

// keptDecoders is how many decoders a shape keeps; a table is read in few ways.
const keptDecoders = 16

// decoder gives what reads the columns of stored rows.
func (s *shape) decoder(columns vtab.ColumnSet) *decoder {
	var kept []*decoder
	if p := s.decoders.Load(); p != nil {
		kept = *p
	}
	for _, d := range kept {
		if d.columns.Equal(columns) {
			return d
		}
	}
	d := s.rows.newDecoder(columns.Clone())
	if len(kept) < keptDecoders {
		grown := append(kept[:len(kept):len(kept)], d) // a race loses an entry, nothing else
		s.decoders.Store(&grown)
	}
	return d
}
