package engine_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// sample has literals of each type, few, so that values meet, and with the edges of the type among them.
var sample = map[string][]string{
	"integer":   {"0", "1", "2", "-1", "7", "9007199254740993", "9223372036854775807", "-9223372036854775808", "12345678901234567890"},
	"real":      {"0.0", "1.0", "1.5", "-0.5", "2.0", "9007199254740992.0", "1e300", "-1e-7", "12345678901234567890.0"},
	"numeric":   {"0", "1", "1.5", "2", "12345678901234567890", "9007199254740993", "9007199254740992.0", "-1"},
	"text":      {"''", "'a'", "'A'", "'a '", "'b'", "'B '", "'ab'", "'1'", "'1.5'", "'abc'", "' '", "'é'", "'É'", "'a%'", "'2'"},
	"blob":      {"x''", "x'00'", "x'61'", "x'ff'", "x'0001'", "x'6100'"},
	"boolean":   {"true", "false"},
	"date":      {"'2024-02-29'", "'2024-03-01'", "'1999-12-31'"},
	"datetime":  {"'2024-02-29T10:00:00'", "'2024-02-29'", "'1999-12-31T23:59:59.5'"},
	"time":      {"'10:00:00'", "'10:00:00.5'", "'00:00:00'"},
	"timestamp": {"0", "1", "1709164800000", "-5"},
	"timespan":  {"'PT1H'", "'PT60M'", "'P1D'", "'PT24H'", "'-P1D'", "'P1M'", "'P31D'", "'PT0S'"},
	"json":      {"'1'", "'1.0'", `'"a"'`, "'[1,2]'", "'[1]'", `'{"a":1}'`, `'{"b":1,"a":2}'`, `'{"a":2,"b":1}'`, "'true'", "'[]'", "'{}'", `'"1"'`},
	"any":       {"1", "1.5", "'a'", "'A'", "x'61'", "true", "'1'", "12345678901234567890", "'a '", "0", "json('[1]')", `json('{"a":1}')`},
}

var sampleTypes = []string{
	"integer", "real", "numeric", "text", "text", "text", "blob", "boolean", "date", "datetime", "time", "timestamp", "timespan", "json", "any", "any",
}

// A rel is a table with a key id and columns c0, c1, … of any type, or such a table under another name.
type rel struct {
	name string
	cols []relColumn
	rows int // of fill
}

type relColumn struct{ name, typ, collation string }

func (r *rel) as(name string) *rel { return &rel{name: name, cols: r.cols} }

func (r *rel) names() string {
	var out []string
	for _, c := range r.cols {
		out = append(out, c.name)
	}
	return strings.Join(out, ", ")
}

func (r *rel) create(key string) string {
	text := "create table " + r.name + " (id integer"
	for _, c := range r.cols {
		text += ", " + c.name + " " + c.typ + " null"
		if c.collation != "" {
			text += " collate " + c.collation
		}
	}
	return text + ", primary key (" + key + "))"
}

// relGen draws tables, rows and conditions. Its draws are even, where rapid's own prefer the small and the first.
type relGen struct {
	*rapid.T
	rels []*rel
}

func (g *relGen) below(n int) int {
	x := 0
	for range 10 {
		x <<= 1
		if rapid.Bool().Draw(g.T, "bit") {
			x++
		}
	}
	return x * n >> 10
}

func (g *relGen) chance(percent int) bool { return g.below(100) < percent }

func (g *relGen) pick(from ...string) string { return from[g.below(len(from))] }

func (g *relGen) literal(typ string) string {
	if g.chance(8) {
		return "null"
	}
	return g.pick(sample[typ]...)
}

func (g *relGen) rel(name string) *rel {
	r := &rel{name: name}
	for i := range 2 + g.below(3) {
		c := relColumn{name: fmt.Sprintf("c%d", i), typ: g.pick(sampleTypes...)}
		if c.typ == "text" || c.typ == "any" {
			c.collation = g.pick("", "", "nocase", "rtrim")
		}
		r.cols = append(r.cols, c)
	}
	g.rels = append(g.rels, r)
	return r
}

// fill inserts up to n rows with the ids from 1 on.
func (g *relGen) fill(r *rel, n int) (sql []string) {
	r.rows = g.below(n + 1)
	for i := range r.rows {
		sql = append(sql, "insert into "+r.name+" values "+g.row(r, i+1))
	}
	return sql
}

func (g *relGen) row(r *rel, id int) string {
	values := fmt.Sprint(id)
	for _, c := range r.cols {
		values += ", " + g.literal(c.typ)
	}
	return "(" + values + ")"
}

// key draws a primary key that has id in it.
func (g *relGen) key(r *rel) string {
	return g.pick("id", "id desc", g.members(r, 1, false)+", id", g.members(r, 1, false)+", id desc", g.members(r, 2, false)+", id")
}

// members draws some columns of a key or index; rich ones have expressions and collations among them.
func (g *relGen) members(r *rel, n int, rich bool) string {
	var out []string
	for _, i := range g.some(len(r.cols), n) {
		c := r.cols[i]
		m := c.name
		switch {
		case rich && g.chance(15):
			m = fmt.Sprintf(g.pick("lower(%s)", "coalesce(%s, 1)", "typeof(%s)"), m)
		case rich && (c.typ == "text" || c.typ == "any") && g.chance(30):
			m += " collate " + g.pick("nocase", "rtrim", "binary")
		}
		out = append(out, m+g.pick("", "", " desc"))
	}
	return strings.Join(out, ", ")
}

// some draws up to n different numbers below max.
func (g *relGen) some(max, n int) (out []int) {
	for range n {
		if i := g.below(max); !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

func (g *relGen) indexes(r *rel) (sql []string) {
	for i := range 1 + g.below(4) {
		unique, members, where := "", g.members(r, 1+g.below(3), true), ""
		if g.chance(20) {
			unique, members = "unique ", members+", id"
		}
		if g.chance(10) {
			where = " where " + r.cols[0].name + " is not null"
		}
		sql = append(sql, fmt.Sprintf("create %sindex %s_%d on %s (%s)%s", unique, r.name, i, r.name, members, where))
	}
	return sql
}

func (g *relGen) column(rels ...*rel) (x, typ string) {
	r := rels[g.below(len(rels))]
	if g.chance(12) {
		return r.name + ".id", "integer"
	}
	c := r.cols[g.below(len(r.cols))]
	return r.name + "." + c.name, c.typ
}

// like draws a column, of the type if there is one.
func (g *relGen) like(typ string, rels ...*rel) string {
	x, t := g.column(rels...)
	for i := 0; i < 8 && t != typ; i++ {
		x, t = g.column(rels...)
	}
	return x
}

// operand is mostly a bare column, which an index may serve.
func (g *relGen) operand(rels []*rel) (x, typ string) {
	x, typ = g.column(rels...)
	switch {
	case g.chance(8):
		return x + " collate " + g.pick("nocase", "rtrim", "binary"), typ
	case g.chance(4):
		typ = g.pick("integer", "text", "real", "json", "numeric")
		return "cast(" + x + " as " + typ + ")", typ
	case g.chance(3):
		return "coalesce(" + x + ", " + g.literal(typ) + ")", typ
	case g.chance(3):
		return "(" + x + " || '')", "text"
	}
	return x, typ
}

// value is something to compare with a value of a type.
func (g *relGen) value(rels []*rel, typ string) string {
	if g.chance(40) {
		x, _ := g.column(rels...)
		return x
	}
	if g.chance(20) {
		typ = g.pick(sampleTypes...)
	}
	return g.literal(typ)
}

// predicate draws a condition over rows of the tables.
func (g *relGen) predicate(rels []*rel, depth int) string {
	if g.chance(35) {
		return g.seekable(rels) + g.pick("", "", " and "+g.seekable(rels))
	}
	if depth > 0 && g.chance(55) {
		l, r := g.predicate(rels, depth-1), g.predicate(rels, depth-1)
		return g.pick("not ("+l+")", "(("+l+") xor ("+r+"))", "(("+l+") or ("+r+"))", "(("+l+") or ("+r+"))", "(("+l+") and ("+r+"))")
	}
	if g.chance(50) {
		return g.seekable(rels)
	}
	return g.comparison(rels)
}

func (g *relGen) comparison(rels []*rel) string {
	x, typ := g.operand(rels)
	value := func() string { return g.value(rels, typ) }
	switch g.below(8) {
	case 0:
		return x + g.pick(" between ", " not between ") + value() + " and " + value()
	case 1:
		return x + g.pick(" in (", " not in (") + value() + ", " + value() + g.pick("", ", "+value()) + ")"
	case 2:
		return x + g.pick(" is ", " is not ", " is distinct from ") + value()
	case 3:
		return x + g.pick(" like ", " not like ", " glob ") + g.pick("'a%'", "'%'", "'a*'", "'_'", "'1%'", "'A'")
	case 4:
		y, other := g.operand(rels)
		tuple := func() string { return "(" + g.literal(typ) + ", " + g.literal(other) + ")" }
		return "(" + x + ", " + y + ")" + g.pick(" in ("+tuple()+", "+tuple()+")", g.pick(" < ", " <= ", " = ", " >= ", " > ", " <> ")+tuple())
	case 5:
		return x + g.pick(" is true", " is not true", " is false", " is null", " is not null")
	}
	op := g.pick(" = ", " < ", " <= ", " > ", " >= ", " <> ")
	return g.pick(x+op+value(), value()+op+x)
}

// seekable draws a condition on a column of the last table that an index may serve: with constants, or values of the first table.
func (g *relGen) seekable(rels []*rel) string {
	x, typ := g.column(rels[len(rels)-1])
	v := func() string {
		if len(rels) > 1 && g.chance(40) {
			y, _ := g.column(rels[0])
			return y
		}
		return g.literal(typ)
	}
	switch g.below(7) {
	case 0:
		return x + " between " + v() + " and " + v()
	case 1:
		return x + " in (" + v() + ", " + v() + ", " + v() + ")"
	case 2:
		or := g.pick("", " or "+x+" = "+v(), " or "+x+" in ("+v()+", "+v()+")", " or "+x+" between "+v()+" and "+v())
		return "(" + x + g.pick(" < ", " <= ", " = ") + v() + " or " + x + g.pick(" > ", " >= ", " = ") + v() + or + ")"
	case 3:
		return x + g.pick(" > ", " >= ") + v() + " and " + x + g.pick(" < ", " <= ") + v()
	case 4:
		return x + g.pick(" is null", " is not null")
	case 5:
		return v() + g.pick(" = ", " < ", " >= ") + x
	}
	return x + g.pick(" = ", " = ", " = ", " is ") + v()
}

// ask gives the rows of a query as lines.
func (b *bare) ask(sql string) ([]string, error) {
	lines, err := b.Query(ctx, sql)
	if err != nil {
		require.NotEqual(b, types.INTERNAL, types.CodeOf(err), "%s: %v", sql, err)
		return nil, err
	}
	return lines[1:], nil
}

// do runs a statement that must succeed, and logs it.
func (b *bare) do(sql string) {
	b.Log(sql + ";")
	b.conn.exec(sql)
}

// sound lets the database check itself: it has no fault. Rules that rows break are for the caller to look at.
func (b *bare) sound() *engine.CheckReport {
	r, err := b.conn.DB().Check(ctx)
	require.NoError(b, err)
	require.Empty(b, r.Faults)
	return r
}

func sorted(lines []string) []string {
	out := append([]string{}, lines...)
	slices.Sort(out)
	return out
}
