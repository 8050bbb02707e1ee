package catalog

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// drawStored gives a drawn table the numbers of one that lives in a store.
func drawStored(t *rapid.T) *Table {
	table, _ := drawTable(t)
	number := func(what string) uint64 { return rapid.Uint64().Draw(t, what) }
	table.ID, table.Seq = ID(number("id")), number("seq")
	table.Storage = Storage{
		Incarnation: Incarnation(number("incarnation")), NextColumn: ColumnID(rapid.Uint32().Draw(t, "next column")), NextLayoutID: 7,
		Layouts: []Layout{{ID: 3}, {ID: 6, Columns: []ColumnID{1, 9, ColumnID(rapid.Uint32().Draw(t, "old column"))}}},
	}
	fills := []types.Value{types.Null, types.Int(5), types.Text("it's"), types.Blob([]byte{1, 0}), types.Real(1.5), types.BigInt(new(big.Int).Lsh(big.NewInt(1), 70))}
	for i, c := range table.Columns {
		c.ID, c.Fill = ColumnID(10+i), rapid.SampledFrom(fills).Draw(t, "fill")
	}
	for _, u := range table.Uniques {
		u.ID, u.Incarnation = ID(number("unique")), Incarnation(number("unique incarnation"))
		u.StructureTags = rapid.SampledFrom([]Tags{nil, {{"k", types.True}}}).Draw(t, "structure tags")
	}
	for _, ix := range table.Indexes {
		ix.ID, ix.Seq, ix.Incarnation = ID(number("index")), number("index seq"), Incarnation(number("index incarnation"))
	}
	return table
}

func TestTableRecordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawStored(t)
		rec := EncodeTable(table)
		again, err := DecodeTable(rec, types.NewRegistry())
		require.NoError(t, err)
		require.Equal(t, rec, EncodeTable(again))
		require.Equal(t, NormalTable(table), NormalTable(again))
		require.Equal(t, table.Incarnations(), again.Incarnations())

		h, _, err := DecodeHeader(rec)
		require.NoError(t, err)
		if diff := cmp.Diff(table.header(), h, cmp.Comparer(sameValue)); diff != "" {
			t.Fatal(diff)
		}
		require.Equal(t, table.Incarnations(), h.Incarnations())
	})
}

func sameValue(a, b types.Value) bool {
	return a.Kind() == b.Kind() && types.Equal(a, b, types.Binary)
}

func TestRecordsKeepWhatTextCannotSay(t *testing.T) {
	table := buildTable(t, "create table m (a text collate nocase, b text collate binary) with context (v text, w null)")
	table.Maintained = &Maintained{Body: parseOne[*ast.SelectStmt](t, "select 1 as a, 2 as b"), Stale: true}
	again, err := DecodeTable(EncodeTable(table), types.NewRegistry())
	require.NoError(t, err)
	require.Equal(t, Maintained{Stale: true}, Maintained{Stale: again.Maintained.Stale, Declared: again.Maintained.Declared})
	require.False(t, again.Key.Declared)
	require.Equal(t, types.RankDeclared, again.Columns[0].CollationRank)
	require.Equal(t, types.RankDeclared, again.Columns[1].CollationRank)
	require.Equal(t, []ContextVar{{"v", "TEXT", types.TypeText, true}, {"w", "", types.TypeAny, false}}, again.Context)
}

func TestCatalogRecords(t *testing.T) {
	e := snapshotOf(t, `create table a (id integer primary key, v text default 'two
lines'); create unique index i on a (v) where v <> ';'; create view "v;" (x) as select id from a with tags (k = 1); create assertion temp.s check (1 = 1)`).Edit()
	e.AddSchema("Side")
	s := e.Done()
	require.Negative(t, bytes.Compare(RecordKey(MetaRecord, 0), RecordKey(AssertionRecord, 1)))

	next := NewSnapshot().Edit()
	for _, rec := range [][]byte{
		EncodeMeta(s), EncodeAssertion(s.Assertion("temp", "s")), EncodeTable(s.Table("main", "a")), EncodeView(s.View("main", "v;")),
	} {
		require.NoError(t, next.PutRecord(rec, types.NewRegistry()))
	}
	again := next.Done()
	require.Equal(t, s.Schemas(), again.Schemas())
	require.Equal(t, s.Allocators(), again.Allocators())
	for _, schema := range s.Schemas() {
		require.Equal(t, string(NormalForm(s, schema)), string(NormalForm(again, schema)))
	}
	require.Equal(t, s.View("main", "v;").ID, again.View("main", "v;").ID)
	require.Equal(t, s.Assertion("temp", "s").Seq, again.Assertion("temp", "s").Seq)
	require.Equal(t, s.Index("main", "i").Index.Seq, again.Index("main", "i").Index.Seq)
}

// A table that this program cannot read is named, and keeps its numbers and ranges.
func TestUnreadableRecordKeepsItsHeader(t *testing.T) {
	reg := types.NewRegistry()
	require.NoError(t, reg.RegisterCollation(&types.Collation{Name: "KLINGON", Compare: types.Binary.Compare}))
	require.NoError(t, reg.RegisterType(&types.Type{Name: "POINT", Class: types.KindText}))
	env := testEnv()
	env.Types = reg
	for sql, message := range map[string]string{
		"create table far (id integer primary key, n text collate klingon)": "table main.far cannot be read from the catalog: Unknown collation 'KLINGON' for type 'TEXT' on column 'n'",
		"create table far (id integer primary key, n point)":                "table main.far cannot be read from the catalog: Unknown type 'POINT' on column 'n'",
		"create table far (id integer primary key) with context (n point)":  "table main.far cannot be read from the catalog: Unknown type 'POINT' on column 'n'",
	} {
		table, err := BuildTable(parseOne[*ast.CreateTableStmt](t, sql), env)
		require.NoError(t, err)
		table.ID, table.Seq, table.Storage.Incarnation = 40, 50, 77
		rec := EncodeTable(table)

		e := NewSnapshot().Edit()
		requireRefusal(t, e.PutRecord(rec, types.NewRegistry()), types.ERROR, message)
		require.Equal(t, Allocators{ID: 41, Seq: 51}, e.Snapshot().Allocators())
		h, _, err := DecodeHeader(rec)
		require.NoError(t, err)
		require.Equal(t, []Incarnation{77}, h.Incarnations())

		_, err = DecodeTable(rec, reg)
		require.NoError(t, err)
	}
}

func TestDamagedRecords(t *testing.T) {
	rec := EncodeTable(buildTable(t, "create table t (id integer primary key, v text unique)"))
	for n := range rec {
		_, err := DecodeTable(rec[:n], types.NewRegistry())
		require.Error(t, err, n)
	}
	later := append([]byte{recordVersion + 1}, rec[1:]...)
	_, _, err := DecodeHeader(later)
	requireRefusal(t, err, types.UNSUPPORTED, "version 2")

	view := BuildView(parseOne[*ast.CreateViewStmt](t, "create view v as select 1"), testEnv())
	_, err = DecodeTable(EncodeView(view), types.NewRegistry())
	requireRefusal(t, err, types.MISUSE, "view main.v")
	h := Header{Kind: ViewRecord, ID: 1, Schema: "main", Name: "v"}
	requireRefusal(t, NewSnapshot().Edit().PutRecord(encodeRecord(&h, "create assertion a check (1)"), types.NewRegistry()), types.CORRUPT,
		"view main.v cannot be read from the catalog: its text does not define it")
}

func FuzzRecord(f *testing.F) {
	s := snapshotOf(f, `create table a (id integer primary key, v text unique default 'x'); create unique index i on a (v); create view v as select id from a; create assertion s check (1 = 1)`)
	f.Add(EncodeMeta(s))
	f.Add(EncodeTable(s.Table("main", "a")))
	f.Add(EncodeView(s.View("main", "v")))
	f.Add(EncodeAssertion(s.Assertion("main", "s")))
	reg := types.NewRegistry()
	f.Fuzz(func(t *testing.T, rec []byte) {
		h, text, err := DecodeHeader(rec)
		if err == nil && h.Kind != MetaRecord {
			again, sameText, err := DecodeHeader(encodeRecord(&h, text))
			require.NoError(t, err)
			require.Equal(t, text, sameText)
			require.Equal(t, h.Incarnations(), again.Incarnations())
		}
		e := NewSnapshot().Edit()
		if e.PutRecord(rec, reg) != nil || h.Kind != TableRecord {
			return
		}
		table := e.Snapshot().Table(h.Schema, h.Name)
		require.NotNil(t, table)
		_, err = DecodeTable(EncodeTable(table), reg)
		require.NoError(t, err)
	})
}
