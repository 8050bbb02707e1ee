package golden

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

// formatReader reads a database as docs/format.md says, with nothing of the engine but the key-value store below it. It is there to
// prove the document, so it shares no code with what the document describes.
type formatReader struct {
	keys   []string
	values map[string][]byte
	tables []*formatTable
}

// formatTable is what the header of a table's record says.
type formatTable struct {
	schema, name string
	rows         uint64
	layouts      map[uint64][]uint64
	columns      []uint64
	fills        []formatValue
	uniques      []uint64
	indexes      []uint64
	text         string
}

// formatValue is a stored value: nil, bool, *big.Int, float64, string, []byte or json.RawMessage.
type formatValue any

// formatBytes takes a stored text apart from its front.
type formatBytes struct{ b []byte }

func (r *formatBytes) take(n int) []byte {
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *formatBytes) uvarint() uint64 {
	n, w := binary.Uvarint(r.b)
	r.take(w)
	return n
}

func (r *formatBytes) text() string { return string(r.take(int(r.uvarint()))) }

// value reads a value of a row or fill (§5).
func (r *formatBytes) value() formatValue {
	switch tag := r.take(1)[0]; {
	case tag == 0:
		return nil
	case tag == 1, tag == 2:
		return tag == 2
	case tag == 3:
		n, w := binary.Varint(r.b)
		r.take(w)
		return big.NewInt(n)
	case tag == 4:
		return math.Float64frombits(binary.LittleEndian.Uint64(r.take(8)))
	case tag == 5:
		return r.text()
	case tag == 6:
		return []byte(r.text())
	case tag == 7:
		return new(big.Int).SetBytes([]byte(r.text()))
	case tag == 8:
		n := new(big.Int).SetBytes([]byte(r.text()))
		return n.Neg(n)
	case tag == 9:
		return json.RawMessage(r.text())
	case tag >= 0x40 && tag < 0x80:
		return big.NewInt(int64(tag - 0x40))
	case tag >= 0x80 && tag < 0xc0:
		return string(r.take(int(tag - 0x80)))
	default:
		panic(fmt.Sprintf("no such tag: %x", tag))
	}
}

// wire spells a value as answers are spelled (conformance/README.md).
func wire(v formatValue) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case float64:
		if math.IsInf(v, 0) {
			return fmt.Sprintf(`{"$real":"%s"}`, strings.TrimPrefix(fmt.Sprintf("%vinity", v), "+"))
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []byte:
		return fmt.Sprintf(`{"$blob":%q}`, hex.EncodeToString(v))
	case string:
		b, _ := json.Marshal(v)
		return string(b)
	case json.RawMessage:
		return string(v)
	}
	return fmt.Sprint(v)
}

// incarnation spells an incarnation in a key (§3).
func formatIncarnation(n uint64) string {
	b := new(big.Int).SetUint64(n).Bytes()
	return string(append([]byte{byte(len(b))}, b...))
}

func readFormat(t *testing.T, dir string) *formatReader {
	s, err := pebble.Open(dir, pebble.Options{ReadOnly: true})
	require.NoError(t, err)
	it, err := s.NewIter(kv.IterOptions{})
	require.NoError(t, err)
	r := &formatReader{values: map[string][]byte{}}
	for ok := it.First(); ok; ok = it.Next() {
		r.keys = append(r.keys, string(it.Key()))
		r.values[string(it.Key())] = bytes.Clone(it.Value())
	}
	require.NoError(t, it.Close())
	require.NoError(t, s.Close())
	for _, key := range r.under("\x03t") {
		r.tables = append(r.tables, formatTableRecord(t, r.values[key]))
	}
	return r
}

// under lists the keys with a prefix, in order.
func (r *formatReader) under(prefix string) []string {
	return slices.DeleteFunc(slices.Clone(r.keys), func(k string) bool { return !strings.HasPrefix(k, prefix) })
}

// formatTableRecord reads the record of a table (§7).
func formatTableRecord(t *testing.T, value []byte) *formatTable {
	require.Equal(t, []byte{1, 't'}, value[:2])
	all := formatBytes{value[2:]}
	r := formatBytes{all.take(int(all.uvarint()))}
	r.uvarint() // id
	r.uvarint() // seq
	out := &formatTable{schema: r.text(), name: r.text(), layouts: map[uint64][]uint64{}, text: all.text()}
	r.uvarint() // flags
	out.rows = r.uvarint()
	r.uvarint() // next column
	r.uvarint() // next layout
	for range r.uvarint() {
		id := r.uvarint()
		for range r.uvarint() {
			out.layouts[id] = append(out.layouts[id], r.uvarint())
		}
	}
	for range r.uvarint() {
		out.columns = append(out.columns, r.uvarint())
		out.fills = append(out.fills, r.value())
	}
	for range r.uvarint() {
		r.uvarint() // id
		out.uniques = append(out.uniques, r.uvarint())
	}
	for range r.uvarint() {
		r.uvarint() // id
		r.uvarint() // seq
		out.indexes = append(out.indexes, r.uvarint())
	}
	require.Empty(t, r.b)
	require.Empty(t, all.b)
	return out
}

// row reads a row as the table is today (§5).
func (tb *formatTable) row(t *testing.T, stored []byte) []formatValue {
	r := formatBytes{stored}
	layout, ok := tb.layouts[r.uvarint()]
	require.True(t, ok)
	byID := map[uint64]formatValue{}
	for _, id := range layout {
		byID[id] = r.value()
	}
	require.Empty(t, r.b)
	out := slices.Clone(tb.fills)
	for i, id := range tb.columns {
		if v, ok := byID[id]; ok {
			out[i] = v
		}
	}
	return out
}

// formatKey reads the key bytes of values (§6) and spells them: numbers and texts as they are, others by their tag.
func formatKey(b []byte) (members []string) {
	r := formatBytes{bytes.Clone(b)}
	for len(r.b) > 0 {
		members = append(members, r.keyMember())
	}
	return members
}

func (r *formatBytes) keyMember() string {
	if r.b[0] >= 0x80 { // DESC: what belongs to the value is not known yet, so all is turned and the rest turned back
		for i := range r.b {
			r.b[i] = ^r.b[i]
		}
		s := r.keyMember()
		for i := range r.b {
			r.b[i] = ^r.b[i]
		}
		return s
	}
	switch tag := r.take(1)[0]; tag {
	case 0x01, 0x0a:
		return "null"
	case 0x0b:
		return "false"
	case 0x0c:
		return "true"
	case 0x08, 0x50:
		return "stray " + r.keyMember()
	case 0x10:
		return "-Inf"
	case 0x25:
		return "+Inf"
	case 0x30:
		return strconv.Quote(string(r.escaped()))
	case 0x38:
		return "x" + hex.EncodeToString(r.escaped())
	case 0x40:
		return string(r.escaped())
	case 0x41:
		var elements []string
		for r.b[0] != 0 {
			elements = append(elements, r.keyMember())
		}
		r.take(1)
		return "[" + strings.Join(elements, " ") + "]"
	case 0x42:
		var names, values []string
		for r.b[0] != 0 {
			names = append(names, r.keyMember())
		}
		r.take(1)
		for range names {
			values = append(values, r.keyMember())
		}
		return fmt.Sprint(names, values)
	default:
		return r.keyNumber(tag)
	}
}

func (r *formatBytes) escaped() (out []byte) {
	for {
		c := r.take(1)[0]
		if c != 0 {
			out = append(out, c)
		} else if r.take(1)[0] == 1 {
			return out
		} else {
			out = append(out, 0)
		}
	}
}

func (r *formatBytes) keyNumber(tag byte) string {
	turn := byte(0)
	if tag < 0x1b {
		turn = 0xff
	}
	read := func(n int) []byte {
		out := bytes.Clone(r.take(n))
		for i := range out {
			out[i] ^= turn
		}
		return out
	}
	length := 0
	switch {
	case tag == 0x11, tag == 0x24:
		if length = int(read(1)[0]); length == 0xff {
			length = int(binary.BigEndian.Uint64(read(8)))
		}
	case turn != 0:
		length = int(0x1a - tag)
	default:
		length = int(tag - 0x1b)
	}
	sign := ""
	if turn != 0 {
		sign = "-"
	}
	whole := new(big.Int).SetBytes(read(length))
	if read(1)[0] == 0 {
		return sign + whole.String()
	}
	fraction := math.Float64frombits(binary.BigEndian.Uint64(read(8)))
	return fmt.Sprintf("%s%s%s", sign, whole, strings.TrimPrefix(strconv.FormatFloat(fraction, 'f', -1, 64), "0"))
}

// TestFormatDocument reads the fixture by the document and compares what it finds with what the engine says.
func TestFormatDocument(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(format1Dir, "db"))))
	current, err := os.ReadFile(filepath.Join(dir, "CURRENT"))
	require.NoError(t, err)
	require.Equal(t, "quereus-migrate format 1\nstore-1\n", string(current))
	r := readFormat(t, dir)
	db, err := engine.OpenDir(t.Context(), dir, pebble.Options{ReadOnly: true}, engine.Options{})
	require.NoError(t, err)
	c := db.Conn()
	require.Len(t, r.tables, 12)
	for _, tb := range r.tables {
		t.Run(tb.name, func(t *testing.T) {
			var b strings.Builder
			require.NoError(t, dumpRows(t.Context(), c, &b, "select * from "+quoted(tb.schema)+"."+quoted(tb.name)))
			want := strings.Split(strings.TrimSpace(b.String()), "\n")[1:]
			requireTable(t, r, tb, want)
		})
	}
	require.NoError(t, c.Close())
	require.NoError(t, db.Close())
	requireFacts(t, r)
}

// requireTable compares the rows, and finds each of them by the entries of every structure.
func requireTable(t *testing.T, r *formatReader, tb *formatTable, want []string) {
	prefix := "\x10" + formatIncarnation(tb.rows)
	keys := r.under(prefix)
	require.Len(t, keys, len(want))
	for i, key := range keys {
		var words []string
		row := tb.row(t, r.values[key])
		for _, v := range row {
			words = append(words, wire(v))
		}
		got := "[" + strings.Join(words, ",") + "]"
		require.True(t, sameJSON(strings.TrimSpace(want[i]), got), "%s is read as %s", want[i], got)
	}
	count, _ := binary.Uvarint(r.values["\x07"+formatIncarnation(tb.rows)])
	require.Equal(t, uint64(len(keys)), count)
	for i, inc := range append(slices.Clone(tb.uniques), tb.indexes...) {
		entries := r.under("\x10" + formatIncarnation(inc))
		for _, entry := range entries {
			pk := string(r.values[entry])
			if i >= len(tb.uniques) && !strings.Contains(strings.Split(tb.text, ";\n")[1+i-len(tb.uniques)], "CREATE UNIQUE") {
				n, _ := binary.Uvarint(r.values[entry])
				pk = entry[len(entry)-int(n):]
			}
			require.Contains(t, keys, prefix+pk)
		}
		if !strings.Contains(tb.text, "WHERE") {
			require.Len(t, entries, len(keys))
		}
	}
}

// requireFacts compares some keys, spelled out, and what is left of the key space.
func requireFacts(t *testing.T, r *formatReader) {
	spelled := map[string][]string{}
	for _, tb := range r.tables {
		prefix := "\x10" + formatIncarnation(tb.rows)
		for _, key := range r.under(prefix) {
			spelled[tb.name] = append(spelled[tb.name], strings.Join(formatKey([]byte(key[len(prefix):])), ", "))
		}
	}
	require.Equal(t, []string{`"apple"`, `"banana"`, `"cherry"`, `"ärger"`}, spelled["by_nocase"])
	require.Equal(t, []string{`"y", 1`, `"x", 1`, `"x", 2`, `"", 0`}, spelled["by_rtrim"])
	require.Equal(t, []string{"30", "4"}, spelled["again"])
	require.Equal(t, []string{""}, spelled["lone"])
	const hour, day = 3600e9, 24 * 3600e9
	require.Equal(t, []string{
		fmt.Sprintf(`null, %d, [] [], 0`, int64(hour)),
		fmt.Sprintf(`{"a":2,"b":1}, %d, ["z"] [1], 2`, int64(-7*day)),
		fmt.Sprintf(`x00, %d, false, -10000000000000000000`, int64(31*day)),
		fmt.Sprintf(`"text", %d, "s", 0.1`, int64(31*day)),
		fmt.Sprintf(`1, %d, [1 ["k"] [false]], %s`, int64(hour), wholeReal(1e300)),
		fmt.Sprintf(`1, %d, [1 ["k"] [null]], -1.5`, int64(hour)),
	}, spelled["by_many"])

	require.Empty(t, r.under("\x05"), "intents")
	require.Empty(t, r.under("\x06"), "retired records")
	require.Len(t, r.under("\x04"), 2, "migrations")
	require.Len(t, r.under("\x03v"), 1)
	require.Len(t, r.under("\x03a"), 1)
	meta := r.values["\x03M\x00\x00\x00\x00\x00\x00\x00\x00"]
	require.Equal(t, []byte{1, 'M'}, meta[:2])
	next, _ := binary.Uvarint(r.values["\x01next"])
	for _, tb := range r.tables {
		for _, inc := range append(append([]uint64{tb.rows}, tb.uniques...), tb.indexes...) {
			require.Less(t, inc, next)
		}
	}
}

func wholeReal(f float64) string {
	n, _ := big.NewFloat(f).Int(nil)
	return n.String()
}

// The mapping that NOCASE keys have is on disk, and comes from the standard library, whose tables move with Unicode.
func TestFoldIsFixed(t *testing.T) {
	folded, sum := 0, fnv.New64a()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if f := types.Fold(string(r)); f != string(r) {
			folded++
			fmt.Fprintf(sum, "%c>%s", r, f)
		}
	}
	require.Equal(t, "1434 letters, 6394887e60be3a69", fmt.Sprintf("%d letters, %x", folded, sum.Sum64()),
		"Unicode %s folds otherwise than format 1 does", unicode.Version)
}
