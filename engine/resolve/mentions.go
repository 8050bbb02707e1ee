package resolve

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Mentions reports whether a text below n refers to the relation, or with column to that column of it: whether a renaming of it to
// a name that occurs nowhere would change the text.
func Mentions(n ast.Node, home Home, schema, name, column string) bool {
	_, changed := Rename(n, home, Renaming{Schema: schema, Name: name, Column: column, To: unusedName})
	return changed
}

// unusedName is no name that the parser can produce a reference to.
const unusedName = "\x00"

// Column is a column that a query yields.
type Column struct {
	// Name is the column's name, After what it becomes under the renamings.
	Name, After string
	// Bare tells that the column passes a column of a source on: a plain reference without alias, or out of a star.
	Bare bool
}

// Columns gives the columns that a query yields in order, with duplicate names told apart, and what the renamings make
// of their names. A star over a relation that does not exist yields nothing.
func Columns(q *ast.SelectStmt, home Home, renamings ...Renaming) []Column {
	w := newWalker(home, renamings)
	var columns []refColumn
	w.run(func(s *scope) ast.Node {
		var x *ast.SelectStmt
		x, columns = s.query(q, true, nil)
		return x
	})
	out := make([]Column, len(columns))
	for i, c := range columns {
		out[i] = Column{Name: c.before, After: c.after, Bare: c.bare}
	}
	return out
}

// Sources lists the tables and views that the queries at or below n name, at any depth, each once in order of first mention
// and as written. Members of a WITH that hide a name are left out.
func Sources(n ast.Node) []ast.QName {
	w := newWalker(Home{Catalog: noCatalog{}}, nil)
	var out []ast.QName
	seen := make(map[relationKey]bool)
	w.found = func(q ast.QName, _ []string) {
		if k := keyOf(q.Schema.Text, q.Name.Text); !seen[k] {
			seen[k] = true
			out = append(out, q)
		}
	}
	w.run(func(s *scope) ast.Node { return s.rewrite(n) })
	return out
}

// SourceMentions lists the relations that the queries at or below n refer to, at any depth, one entry a mention in order, each by
// the schema in which it exists, folded, and its name as written. Members of a WITH, and names of nothing, are left out.
func SourceMentions(n ast.Node, home Home) []ast.QName {
	w := newWalker(home, nil)
	var out []ast.QName
	w.found = w.mention(&out)
	w.run(func(s *scope) ast.Node { return s.rewrite(n) })
	return out
}

// mention gives what appends the relations that names mean to a list.
func (w *walker) mention(out *[]ast.QName) func(q ast.QName, path []string) {
	return func(q ast.QName, path []string) {
		if !q.Schema.IsZero() && !types.EqualFold(q.Schema.Text, committed) {
			path = []string{q.Schema.Text}
		}
		for _, schema := range path {
			if r := w.relation(schema, q.Name.Text); r != nil {
				*out = append(*out, ast.QName{Schema: ast.Ident(r.schema), Name: q.Name})
				return
			}
		}
	}
}

// Starred lists the relations for whose columns a star (`*` or `t.*`) of a select list at or below n stands, each by the schema in which
// it exists, folded, and its name as written; one may come more than once. Members of a WITH and subqueries are left out: what stands in
// them counts by itself.
func Starred(n ast.Node, home Home) []ast.QName {
	w := newWalker(home, nil)
	var out []ast.QName
	w.starred = func(src *source) {
		if src.table != nil {
			out = append(out, ast.QName{Schema: ast.Ident(src.home), Name: src.table.Name.Name})
		}
	}
	w.run(func(s *scope) ast.Node { return s.rewrite(n) })
	return out
}

// Read is a column of a table or view that a text reads.
type Read struct {
	// At is the reference; nil where the column is read without being named: by a star, USING, NATURAL, or IN over a table.
	At *ast.ColumnRef
	// Schema and Relation are folded, Column is as in the definition.
	Schema, Relation, Column string
}

// Reads lists the columns of tables and views that the text below n reads, one entry a reference, and the relations that it names as
// SourceMentions does. What a reference reads through a subquery or a member of WITH is listed where that names it.
func Reads(n ast.Node, home Home) (columns []Read, relations []ast.QName) {
	w := newWalker(home, nil)
	w.read = func(r Read) { columns = append(columns, r) }
	w.found = w.mention(&relations)
	w.run(func(s *scope) ast.Node { return s.rewrite(n) })
	return columns, relations
}

// noCatalog resolves nothing.
type noCatalog struct{}

func (noCatalog) Columns(string, string) ([]string, bool)      { return nil, false }
func (noCatalog) Function(string, int) (cols []string, a bool) { return nil, false }
