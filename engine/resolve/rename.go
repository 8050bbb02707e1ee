package resolve

import "github.com/quereus/quereus-migrate/engine/ast"

// Renaming is a new name for a relation, or with Column for one of its columns.
type Renaming struct {
	Schema, Name string
	Column       string // "" to rename the table or view itself
	To           string
}

// Rename changes every reference in the expressions and queries at or below n that denotes something renamed, all renamings at once. Untouched subtrees are shared with n; changed tells whether the result differs at all. Names
// that a definition gives or lists, such as those of the columns of a table or a view, are no references and stay.
//
// The result means under the new names what n meant under the old ones. A reference that a new name would capture gets a
// qualifier. Where none can tell it apart the renamed table keeps its old name as an alias (`new as old`) or its old
// columns through a subquery (`(select new as old from t) as t`); so do tables that NATURAL joins by a renamed column.
// USING over a column that is renamed on one side becomes ON.
func Rename[N ast.Node](n N, home Home, renamings ...Renaming) (result N, changed bool) {
	w := newWalker(home, renamings)
	x := w.run(func(s *scope) ast.Node { return s.rewrite(n) })
	return x.(N), x != ast.Node(n)
}
