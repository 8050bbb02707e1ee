package catalog

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// definitionGen draws statements that define objects, valid ones, in odd spellings.
type definitionGen struct {
	*rapid.T
	columns []string // as SQL
	used    int      // of the name pool
	pool    []string
}

var namePool = []string{
	"id", "A", "b_2", "_x", "Größe", "naïve col", "日本", "order", "Group", "key", "new.a", `q"q`, "a;--", "two\nlines", "current_date", "9x", " ", "İ", "check", "MiXed",
}

func newDefinitionGen(t *rapid.T) *definitionGen {
	return &definitionGen{T: t, pool: rapid.Permutation(namePool).Draw(t, "names")}
}

func (g *definitionGen) pick(what string, from ...string) string {
	return rapid.SampledFrom(from).Draw(g.T, what)
}

func (g *definitionGen) maybe(text string) string {
	if rapid.Bool().Draw(g.T, "has "+text) {
		return text
	}
	return ""
}

// name takes a name that no other part has.
func (g *definitionGen) name() string {
	n := g.pool[g.used%len(g.pool)]
	if g.used >= len(g.pool) {
		n += fmt.Sprint(g.used)
	}
	g.used++
	return ast.FormatName(n)
}

func (g *definitionGen) column() string { return g.pick("column", g.columns...) }

func (g *definitionGen) literal() string {
	return g.pick("literal", "null", "true", "5", "-5", "(1 + 2)", "'it''s'", "''", "1.50", "1e3", "x'00ff'", "12345678901234567890", "'two\nlines'")
}

// expr draws an expression over the row; qualify spells a column.
func (g *definitionGen) expr(depth int, qualify string) string {
	if depth == 0 {
		if rapid.Bool().Draw(g.T, "leaf") {
			return qualify + g.column()
		}
		return g.literal()
	}
	a, b := g.expr(depth-1, qualify), g.expr(depth-1, qualify)
	op := g.pick("form", "(%s) + (%s)", "(%s) * (%s)", "(%s) || (%s)", "(%s) = (%s)", "not (%s or %s)", "(%s) is not null and (%s)", "coalesce(%s, %s)", "(%s) between 1 and (%s)",
		"case when %s then %s end", "((%s) in (1, %s))", "- (%s) - (%s)", "(%s) <> (%s)", "cast(%s as text) = (%s)", "((%s) like (%s))")
	return fmt.Sprintf("("+op+")", a, b)
}

func (g *definitionGen) tags() string {
	if rapid.IntRange(0, 3).Draw(g.T, "tagged") > 0 {
		return ""
	}
	return " with tags (a = " + g.pick("tag", "1", "-2.5", "'it''s'", "true", "null", "1e300", "1e21", "1.0", "12345678901234567890123", "0.1e-7") + `, "odd ""key" = false)`
}

func (g *definitionGen) columnType() string {
	return g.pick("type", "", "integer", "varchar(20)", "real", "blob", "boolean", "date", "json", "any", "numeric(8, 2)", `"double precision"`, "widget")
}

func (g *definitionGen) columnDef(name string) string {
	typ := g.columnType()
	def := name + " " + typ
	if typ == "" || typ == "any" || strings.HasPrefix(typ, "varchar") {
		def += g.maybe(" collate nocase")
	}
	def += g.pick("null", "", "", " null", " not null", " not null on conflict replace", " null on conflict abort")
	switch rapid.IntRange(0, 4).Draw(g.T, "value") {
	case 0:
		def += " default null"
	case 1:
		def += " default (" + g.expr(1, "new.") + ")"
	}
	def += g.maybe(g.pick("clause", " unique", " unique on conflict ignore", " constraint "+g.name()+" unique", " check ("+g.expr(1, "")+")",
		" constraint "+g.name()+" check on delete, insert ("+g.expr(1, "")+") on conflict fail", " references p", " references temp.p (x) on delete set null"))
	return def + g.tags()
}

func (g *definitionGen) list() string {
	n := rapid.IntRange(1, len(g.columns)).Draw(g.T, "members")
	return strings.Join(rapid.Permutation(g.columns).Draw(g.T, "order")[:n], ", ")
}

func (g *definitionGen) tableConstraint() string {
	c := g.maybe("constraint " + g.name() + " ")
	list := g.list()
	switch rapid.IntRange(0, 3).Draw(g.T, "constraint") {
	case 0:
		c += "unique (" + list + ")" + g.maybe(" on conflict replace")
	case 1:
		c += "check (" + g.expr(2, "") + ")"
	case 2:
		c += "foreign key (" + list + ") references main." + g.name() + " on update cascade deferrable initially deferred"
	case 3:
		c += "foreign key (" + list + ") references " + g.name() + " (" + list + ") on delete set default"
	}
	return c + g.tags()
}

// table draws a CREATE TABLE of t in main or temp.
func (g *definitionGen) table() string {
	name := g.name()
	n := rapid.IntRange(1, 5).Draw(g.T, "columns")
	for range n {
		g.columns = append(g.columns, g.name())
	}
	var parts []string
	for _, c := range g.columns {
		parts = append(parts, g.columnDef(c))
	}
	if rapid.Bool().Draw(g.T, "generated") {
		c := g.name()
		parts = append(parts, c+" integer generated always as ("+g.expr(2, g.pick("qualifier", "", "new."))+")"+g.pick("kind", "", " stored", " virtual"))
	}
	switch rapid.IntRange(0, 3).Draw(g.T, "key") {
	case 0:
		parts = append(parts, "primary key ()")
	case 1:
		parts = append(parts, "primary key ("+g.list()+g.maybe(" desc")+")"+g.maybe(" on conflict ignore"))
	case 2:
		parts[0] = strings.Replace(parts[0], g.columns[0]+" ", g.columns[0]+" /* key */ ", 1)
	}
	for range rapid.IntRange(0, 3).Draw(g.T, "constraints") {
		parts = append(parts, g.tableConstraint())
	}
	return "create table " + g.pick("schema", "", "temp.") + name + " (" + strings.Join(parts, ", ") + ")" +
		g.pick("using", "", " using memory", ` using store (5, "k k" = 'x''y', flag = true)`) +
		g.pick("context", "", " with context (v text null, w)") + g.tags()
}

// index draws a CREATE INDEX on the table that was drawn.
func (g *definitionGen) index(table *Table) string {
	members := []string{g.column() + g.maybe(" desc")}
	if rapid.Bool().Draw(g.T, "expression") {
		members = append(members, "("+g.column()+" || 'x')"+g.maybe(" collate nocase")+g.maybe(" desc"))
	}
	return "create " + g.maybe("unique ") + "index " + g.name() + " on " + table.Schema + "." + ast.FormatName(table.Name) + " (" +
		strings.Join(members, ", ") + ")" + g.maybe(" where "+g.expr(1, "")) + g.tags()
}

// drawTable draws a table with indexes; definitions that clash with themselves are drawn again.
func drawTable(t *rapid.T) (*Table, string) {
	g := newDefinitionGen(t)
	sql := g.table()
	table, err := BuildTable(parseOne[*ast.CreateTableStmt](t, sql), testEnv())
	if err != nil {
		// Two UNIQUEs alike or a default that does not convert, by chance; anything else is a fault.
		require.Contains(t, []types.Code{types.CONSTRAINT, types.MISMATCH}, types.CodeOf(err), "%v: %s", err, sql)
		t.Skip(sql)
	}
	for range rapid.IntRange(0, 2).Draw(t, "indexes") {
		text := g.index(table)
		ix, err := BuildIndex(parseOne[*ast.CreateIndexStmt](t, text), table, testEnv())
		require.NoError(t, err, text)
		table = table.Clone()
		table.Indexes = append(table.Indexes, ix)
		sql += ";\n" + text
	}
	return table, sql
}
