package vtabtest

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// gen draws schemas, values and choices; equal seeds draw the same.
type gen struct{ *rand.Rand }

func newGen(seed uint64) *gen { return &gen{rand.New(rand.NewPCG(seed, 17))} }

func pick[T any](g *gen, from ...T) T { return from[g.IntN(len(from))] }

// chance is true in one of n cases.
func (g *gen) chance(n int) bool { return g.IntN(n) == 0 }

// values of each kind: few, so that they collide, and with the odd ones among them.
var (
	integers = []types.Value{types.Int(-300), types.Int(-1), types.Int(0), types.Int(1), types.Int(2), types.Int(3), types.Int(1 << 40),
		types.BigInt(new(big.Int).Lsh(big.NewInt(1), 70))}
	reals = []types.Value{types.Real(-1.5), types.Real(0), types.Real(1), types.Real(2.5), types.Real(1e300)}
	texts = []types.Value{types.Text(""), types.Text("a"), types.Text("A"), types.Text("a "), types.Text("b"), types.Text("B\x00c"), types.Text("é")}
	blobs = []types.Value{types.Blob(nil), types.Blob([]byte{0}), types.Blob([]byte{0, 0xFF}), types.Blob([]byte("a"))}
	spans = []types.Value{types.Text("PT1H"), types.Text("PT60M"), types.Text("PT90M"), types.Text("P1D"), types.Text("-PT1H")}
	dates = []types.Value{types.Text("2024-01-31"), types.Text("1999-12-31"), types.Text("0001-01-01")}
	bools = []types.Value{types.True, types.False}
	docs  = func() []types.Value {
		var out []types.Value
		for _, s := range []string{`{"a":1,"b":[1,2]}`, `{"b":[1,2],"a":1.0}`, `[]`, `[1,"x"]`, `5`, `"x"`, `true`} {
			v, err := types.ParseJSON(s)
			if err != nil {
				panic(err)
			}
			out = append(out, v)
		}
		return out
	}()
)

func (g *gen) value(t *types.Type) types.Value {
	switch t {
	case types.TypeInteger:
		return pick(g, integers...)
	case types.TypeReal:
		return pick(g, reals...)
	case types.TypeNumeric:
		return pick(g, pick(g, integers...), pick(g, reals...))
	case types.TypeBlob:
		return pick(g, blobs...)
	case types.TypeTimespan:
		return pick(g, spans...)
	case types.TypeDate:
		return pick(g, dates...)
	case types.TypeBoolean:
		return pick(g, bools...)
	case types.TypeJSON:
		return pick(g, docs...)
	case types.TypeText:
		return pick(g, texts...)
	}
	return g.any()
}

func (g *gen) any() types.Value {
	return pick(g, pick(g, integers...), pick(g, reals...), pick(g, texts...), pick(g, blobs...), pick(g, bools...))
}

// row draws a row of the table.
func (g *gen) row(t *catalog.Table) types.Row {
	r := make(types.Row, len(t.Columns))
	for i, c := range t.Columns {
		if c.NotNull || !g.chance(5) {
			r[i] = g.value(c.Type)
		}
	}
	return r
}

// wideRow draws a row whose key is likely to be new.
func (g *gen) wideRow(t *catalog.Table) types.Row {
	r := g.row(t)
	for i, c := range t.Columns {
		if c.Type == types.TypeInteger && (!r[i].IsNull() || c.NotNull) {
			r[i] = types.Int(g.Int64N(1000))
		}
	}
	return r
}

var typeNames = []string{"integer", "integer", "real", "numeric", "text", "text", "any", "blob", "timespan", "json", "boolean", "date"}

// schema draws a CREATE TABLE and its CREATE INDEXes.
func (g *gen) schema(name string) (table string, indexes []string) {
	var b strings.Builder
	n := 3 + g.IntN(4)
	var whole []string // columns that predicates and expressions may read
	fmt.Fprintf(&b, "create table %s (", name)
	for i := range n {
		typ := pick(g, typeNames...)
		fmt.Fprintf(&b, "c%d %s", i, typ)
		if typ == "text" || typ == "any" {
			b.WriteString(pick(g, "", "", " collate nocase", " collate rtrim"))
		}
		b.WriteString(pick(g, " null", " not null"))
		b.WriteString(", ")
		if typ == "integer" {
			whole = append(whole, fmt.Sprint("c", i))
		}
	}
	for range g.IntN(3) {
		fmt.Fprintf(&b, "constraint u%d unique (%s), ", g.Int64(), strings.Join(g.members(n, false), ", "))
	}
	fmt.Fprintf(&b, "primary key (%s))", strings.Join(g.members(n, true), ", "))
	for i := range g.IntN(4) {
		indexes = append(indexes, g.index(fmt.Sprint("i", i), name, n, whole))
	}
	return strings.ReplaceAll(b.String(), "constraint u-", "constraint u"), indexes
}

func (g *gen) index(name, table string, columns int, whole []string) string {
	members := g.members(columns, true)
	if len(whole) > 0 && g.chance(3) {
		members = append(members, pick(g, whole...)+" % 3")
	}
	text := fmt.Sprintf("create %sindex %s on %s (%s)", pick(g, "", "", "unique "), name, table, strings.Join(members, ", "))
	if len(whole) > 0 && g.chance(3) {
		text += " where " + pick(g, whole...) + " > 0"
	}
	return text
}

// members draws up to three different columns.
func (g *gen) members(columns int, directed bool) []string {
	var out []string
	for _, c := range g.Perm(columns)[:1+g.IntN(3)] {
		text := fmt.Sprint("c", c)
		if directed {
			text += pick(g, "", "", " desc")
		}
		out = append(out, text)
	}
	return out
}
