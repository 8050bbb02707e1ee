package catalog

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/types"
)

// A record keeps one object on disk: one for each table with its indexes, view and assertion, and one for what belongs to no
// object. It is
//
//	version (1 byte)  kind (1 byte)  length of the header (uvarint)  header  length of the text (uvarint)  text
//
// The header holds what the text cannot say and is read without parsing, so that the ranges of a table stay known when its text
// means nothing to this program, for want of a collation that only another one registers. The text is the definition in explicit
// form (docs/reference/declarative-schema.md), statements separated by ";\n".
//
// Headers grow at their end: a reader takes missing fields as zero and leaves unknown ones alone, so records of every released
// version are read. A change of what is there needs another version byte.
const recordVersion = 1

// RecordKind tells what a record holds; it is also the first byte of its key. In order of key the meta record comes first.
type RecordKind byte

// The kinds.
const (
	TableRecord     RecordKind = 't'
	ViewRecord      RecordKind = 'v'
	AssertionRecord RecordKind = 'a'
	MetaRecord      RecordKind = 'M'
)

func (k RecordKind) String() string {
	switch k {
	case TableRecord:
		return "table"
	case ViewRecord:
		return "view"
	case AssertionRecord:
		return "assertion"
	case MetaRecord:
		return "catalog facts"
	}
	return "record of unknown kind"
}

// RecordKey gives the key of an object's record. It does not change with the object's name. The meta record has id 0.
func RecordKey(kind RecordKind, id ID) []byte {
	return binary.BigEndian.AppendUint64([]byte{byte(kind)}, uint64(id))
}

// Header is what a record says without its text being parsed.
type Header struct {
	Kind         RecordKind
	ID           ID
	Seq          uint64
	Schema, Name string

	// Table holds the rest for a table, nil for other objects.
	Table *TableHeader
}

// TableHeader holds the facts of a table that its text cannot say. Columns, Uniques and Indexes are in the order of the text.
type TableHeader struct {
	// Key.Declared, Maintained.Declared and Maintained.Stale of the table.
	KeyDeclared, MaintainedDeclared, Stale bool

	Storage Storage
	Columns []ColumnHeader
	Uniques []UniqueHeader
	Indexes []IndexHeader
}

// ColumnHeader holds the facts of a column.
type ColumnHeader struct {
	ID   ColumnID
	Fill types.Value
	// Rank is how the collation came about, where a column's text does not tell; else RankNone. Records of before it was kept have none.
	Rank types.Rank
}

// UniqueHeader holds the facts of a UNIQUE constraint.
type UniqueHeader struct {
	ID          ID
	Incarnation Incarnation
}

// IndexHeader holds the facts of an index. Collated are the positions of the members whose collation is written: the text says it of
// every member. Records of before it was kept have none.
type IndexHeader struct {
	ID          ID
	Seq         uint64
	Incarnation Incarnation
	Collated    []int
}

// Incarnations lists the key ranges that the object owns.
func (h *Header) Incarnations() []Incarnation {
	if h.Table == nil {
		return nil
	}
	out := []Incarnation{h.Table.Storage.Incarnation}
	for _, u := range h.Table.Uniques {
		out = append(out, u.Incarnation)
	}
	for _, ix := range h.Table.Indexes {
		out = append(out, ix.Incarnation)
	}
	return out
}

// Incarnations lists the key ranges that the table owns.
func (t *Table) Incarnations() []Incarnation {
	h := t.header()
	return h.Incarnations()
}

// The bits of a table's flags.
const (
	flagKeyDeclared = 1 << iota
	flagMaintainedDeclared
	flagStale
	flagRanked // columns have ranks
)

// EncodeTable gives the record of a table with its indexes.
func EncodeTable(t *Table) []byte {
	h := t.header()
	return encodeRecord(&h, strings.Join(FormatDefinition(t), ";\n"))
}

// EncodeView gives the record of a view.
func EncodeView(v *View) []byte {
	h := Header{Kind: ViewRecord, ID: v.ID, Seq: v.Seq, Schema: v.Schema, Name: v.Name}
	return encodeRecord(&h, FormatView(v, FormatOptions{Form: Explicit}))
}

// EncodeAssertion gives the record of an assertion.
func EncodeAssertion(a *Assertion) []byte {
	h := Header{Kind: AssertionRecord, ID: a.ID, Seq: a.Seq, Schema: a.Schema, Name: a.Name}
	return encodeRecord(&h, FormatAssertion(a, FormatOptions{Form: Explicit}))
}

func (t *Table) header() Header {
	h := &TableHeader{KeyDeclared: t.Key.Declared, Storage: t.Storage}
	if m := t.Maintained; m != nil {
		h.MaintainedDeclared, h.Stale = m.Declared, m.Stale
	}
	for _, c := range t.Columns {
		h.Columns = append(h.Columns, ColumnHeader{ID: c.ID, Fill: c.Fill, Rank: c.untoldRank()})
	}
	for _, u := range t.Uniques {
		h.Uniques = append(h.Uniques, UniqueHeader{ID: u.ID, Incarnation: u.Incarnation})
	}
	for _, ix := range t.Indexes {
		h.Indexes = append(h.Indexes, IndexHeader{ID: ix.ID, Seq: ix.Seq, Incarnation: ix.Incarnation, Collated: ix.collated()})
	}
	return Header{Kind: TableRecord, ID: t.ID, Seq: t.Seq, Schema: t.Schema, Name: t.Name, Table: h}
}

// writesCollation reports whether the text of a column has a COLLATE: a declared one, or a default that is not BINARY.
func (c *Column) writesCollation() bool {
	return c.Collation != types.Binary || c.CollationRank == types.RankDeclared
}

// untoldRank is the rank of the collation where the column's text tells another, else RankNone.
func (c *Column) untoldRank() types.Rank {
	if c.writesCollation() && c.CollationRank != types.RankDeclared {
		return c.CollationRank
	}
	return types.RankNone
}

func encodeRecord(h *Header, text string) []byte {
	return sealRecord(h.Kind, h.append(nil), text)
}

func sealRecord(kind RecordKind, header []byte, text string) []byte {
	b := append(make([]byte, 0, len(header)+len(text)+8), recordVersion, byte(kind))
	b = binary.AppendUvarint(b, uint64(len(header)))
	return appendText(append(b, header...), text)
}

func (h *Header) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(h.ID))
	b = binary.AppendUvarint(b, h.Seq)
	b = appendText(b, h.Schema)
	b = appendText(b, h.Name)
	if h.Table != nil {
		b = h.Table.append(b)
	}
	return b
}

func (h *TableHeader) append(b []byte) []byte {
	b = binary.AppendUvarint(b, h.flags())
	b = binary.AppendUvarint(b, uint64(h.Storage.Incarnation))
	b = binary.AppendUvarint(b, uint64(h.Storage.NextColumn))
	b = binary.AppendUvarint(b, uint64(h.Storage.NextLayoutID))
	b = binary.AppendUvarint(b, uint64(len(h.Storage.Layouts)))
	for _, l := range h.Storage.Layouts {
		b = binary.AppendUvarint(b, uint64(l.ID))
		b = binary.AppendUvarint(b, uint64(len(l.Columns)))
		for _, c := range l.Columns {
			b = binary.AppendUvarint(b, uint64(c))
		}
	}
	b = binary.AppendUvarint(b, uint64(len(h.Columns)))
	for _, c := range h.Columns {
		b = AppendValue(binary.AppendUvarint(b, uint64(c.ID)), c.Fill)
		if h.ranked() {
			b = binary.AppendUvarint(b, uint64(c.Rank))
		}
	}
	b = binary.AppendUvarint(b, uint64(len(h.Uniques)))
	for _, u := range h.Uniques {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(u.ID)), uint64(u.Incarnation))
	}
	b = binary.AppendUvarint(b, uint64(len(h.Indexes)))
	for _, ix := range h.Indexes {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(ix.ID)), ix.Seq)
		b = binary.AppendUvarint(b, uint64(ix.Incarnation))
	}
	return h.appendCollated(b)
}

// appendCollated appends the written collations of all indexes, nothing when there are none.
func (h *TableHeader) appendCollated(b []byte) []byte {
	if !slices.ContainsFunc(h.Indexes, func(ix IndexHeader) bool { return ix.Collated != nil }) {
		return b
	}
	for _, ix := range h.Indexes {
		b = binary.AppendUvarint(b, uint64(len(ix.Collated)))
		for _, member := range ix.Collated {
			b = binary.AppendUvarint(b, uint64(member))
		}
	}
	return b
}

func (h *TableHeader) ranked() bool {
	return slices.ContainsFunc(h.Columns, func(c ColumnHeader) bool { return c.Rank != types.RankNone })
}

func (h *TableHeader) flags() (f uint64) {
	if h.ranked() {
		f |= flagRanked
	}
	if h.KeyDeclared {
		f |= flagKeyDeclared
	}
	if h.MaintainedDeclared {
		f |= flagMaintainedDeclared
	}
	if h.Stale {
		f |= flagStale
	}
	return f
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// DecodeHeader reads a record without parsing its text. CORRUPT for bytes that are no record, UNSUPPORTED for a record of a later
// version. Nothing in the result shares memory with rec.
func DecodeHeader(rec []byte) (h Header, text string, err error) {
	kind, body, text, err := openRecord(rec)
	if err != nil {
		return h, "", err
	}
	r := headerReader{rest: body}
	h = Header{Kind: kind, ID: ID(r.number()), Seq: r.number(), Schema: r.text(), Name: r.text()}
	if kind == TableRecord {
		h.Table = r.table()
	}
	if r.bad {
		return Header{}, "", errBadRecord
	}
	return h, text, nil
}

var errBadRecord = types.Errorf(types.CORRUPT, "a catalog record is damaged")

// openRecord takes a record apart.
func openRecord(rec []byte) (kind RecordKind, header []byte, text string, err error) {
	if len(rec) < 2 {
		return 0, nil, "", errBadRecord
	}
	if rec[0] != recordVersion {
		return 0, nil, "", types.Errorf(types.UNSUPPORTED, "a catalog record has version %d; this program reads version %d", rec[0], recordVersion)
	}
	header, rest, ok := cutSized(rec[2:])
	if !ok {
		return 0, nil, "", errBadRecord
	}
	body, rest, ok := cutSized(rest)
	if !ok || len(rest) > 0 {
		return 0, nil, "", errBadRecord
	}
	return RecordKind(rec[1]), header, string(body), nil
}

// cutSized takes off bytes behind their length.
func cutSized(b []byte) (cut, rest []byte, ok bool) {
	size, w := binary.Uvarint(b)
	if w <= 0 || size > uint64(len(b)-w) {
		return nil, nil, false
	}
	return b[w : w+int(size)], b[w+int(size):], true
}

// headerReader reads fields one by one; past the end they are zero. A field that is cut off is bad.
type headerReader struct {
	rest []byte
	bad  bool
}

func (r *headerReader) number() uint64 {
	if len(r.rest) == 0 {
		return 0
	}
	n, w := binary.Uvarint(r.rest)
	if w <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[w:]
	return n
}

func (r *headerReader) text() string {
	n := r.number()
	if n > uint64(len(r.rest)) || !utf8.Valid(r.rest[:n]) {
		r.bad, r.rest = true, nil
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

func (r *headerReader) value() types.Value {
	if len(r.rest) == 0 {
		return types.Null
	}
	v, rest, err := DecodeValue(r.rest)
	if err != nil || !utf8.ValidString(v.Str()) {
		r.bad, r.rest = true, nil
		return types.Null
	}
	r.rest = rest
	return v.Clone()
}

// count reads the length of a list, each of whose entries takes a byte at least.
func (r *headerReader) count() int {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return 0
	}
	return int(n)
}

func (r *headerReader) table() *TableHeader {
	flags := r.number()
	h := &TableHeader{
		KeyDeclared: flags&flagKeyDeclared != 0, MaintainedDeclared: flags&flagMaintainedDeclared != 0, Stale: flags&flagStale != 0,
	}
	h.Storage = Storage{
		Incarnation: Incarnation(r.number()), NextColumn: ColumnID(r.number()), NextLayoutID: LayoutID(r.number()),
	}
	for range r.count() {
		l := Layout{ID: LayoutID(r.number())}
		for range r.count() {
			l.Columns = append(l.Columns, ColumnID(r.number()))
		}
		h.Storage.Layouts = append(h.Storage.Layouts, l)
	}
	for range r.count() {
		c := ColumnHeader{ID: ColumnID(r.number()), Fill: r.value()}
		if flags&flagRanked != 0 {
			c.Rank = types.Rank(r.number())
		}
		h.Columns = append(h.Columns, c)
	}
	for range r.count() {
		h.Uniques = append(h.Uniques, UniqueHeader{ID: ID(r.number()), Incarnation: Incarnation(r.number())})
	}
	for range r.count() {
		h.Indexes = append(h.Indexes, IndexHeader{ID: ID(r.number()), Seq: r.number(), Incarnation: Incarnation(r.number())})
	}
	for i := range h.Indexes {
		for range r.count() {
			h.Indexes[i].Collated = append(h.Indexes[i].Collated, int(r.number()))
		}
	}
	return h
}
