package differ

import (
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Expressions over a row compare by meaning: what is spelled in another way and says the same for every row is no difference. The state
// that a plan leads to keeps the live spelling then.

// sameMeaning reports whether two expressions over the row of a table, as it is and as it is declared, say the same.
func (c *comparison) sameMeaning(p *tablePair, a, b ast.Expr) bool {
	return meaning(p.after, c.plain(a).(ast.Expr)) == meaning(p.decl, c.plain(b).(ast.Expr))
}

// mostListed is how long a list of IN may be to be written out; two longer ones compare as they stand.
const mostListed = 64

// meaning gives a text that expressions over the row of t share when they differ in no more than: needless qualifiers and casts, the order
// of what AND and OR join, IN for a chain of equals, and NOT before a test that has a form of its own for that.
func meaning(t *catalog.Table, x ast.Expr) string {
	m := meaner{table: t, qualifier: types.Fold(t.Name)}
	for _, v := range t.Context {
		m.variables = append(m.variables, types.Fold(v.Name))
	}
	return catalog.NormalExpr(m.rewrite(x))
}

type meaner struct {
	table     *catalog.Table
	qualifier string
	variables []string // hide columns of their names
}

// rewrite leaves queries alone: their names have other homes.
func (m *meaner) rewrite(x ast.Expr) ast.Expr {
	inQuery := map[ast.Node]bool{}
	ast.Walk(x, func(n ast.Node) bool {
		if _, ok := n.(*ast.SelectStmt); ok {
			ast.Walk(n, func(n ast.Node) bool { inQuery[n] = true; return true })
			return false
		}
		return true
	})
	return ast.Rewrite(x, func(n ast.Node) ast.Node {
		e, ok := n.(ast.Expr)
		if !ok || inQuery[n] {
			return n
		}
		return m.expr(e)
	}).(ast.Expr)
}

func (m *meaner) expr(x ast.Expr) ast.Expr {
	switch n := x.(type) {
	case *ast.ColumnRef:
		return m.column(n)
	case *ast.Cast:
		return m.cast(n)
	case *ast.In:
		return m.in(n)
	case *ast.Unary:
		if n.Op == ast.OpNot {
			return m.not(n)
		}
	case *ast.Binary:
		switch n.Op {
		case ast.OpAnd, ast.OpOr:
			return m.chain(n)
		case ast.OpEq2:
			same := *n
			same.Op = ast.OpEq
			return &same
		}
	}
	return x
}

// column takes the qualifier off that names the table itself.
func (m *meaner) column(n *ast.ColumnRef) ast.Expr {
	if types.Fold(n.Table.Text) != m.qualifier || slices.Contains(m.variables, types.Fold(n.Column.Text)) ||
		!n.Schema.IsZero() && !types.EqualFold(n.Schema.Text, m.table.Schema) {
		return n
	}
	bare := *n
	bare.Schema, bare.Table = ast.Name{}, ast.Name{}
	return &bare
}

// cast drops a cast to the type that a literal or a column has; not that of a text column, which may lose a collation by it.
func (m *meaner) cast(n *ast.Cast) ast.Expr {
	to := types.NewRegistry().Lookup(n.Type.Name)
	switch x := n.X.(type) {
	case *ast.Literal:
		isSame := x.Kind == ast.TextLit && to == types.TypeText || x.Kind == ast.IntegerLit && to == types.TypeInteger
		if isSame {
			return x
		}
	case *ast.ColumnRef:
		i := m.table.ColumnIndex(x.Column.Text)
		if x.Table.IsZero() && i >= 0 && m.table.Columns[i].Type == to && to != types.TypeText && !slices.Contains(m.variables, types.Fold(x.Column.Text)) {
			return x
		}
	}
	return n
}

// in writes a list of literals out as equals.
func (m *meaner) in(n *ast.In) ast.Expr {
	if n.Query != nil || n.Table != nil || len(n.List) == 0 || len(n.List) > mostListed {
		return n
	}
	var terms []ast.Expr
	for _, v := range n.List {
		if _, ok := v.(*ast.Literal); !ok {
			return n
		}
		terms = append(terms, &ast.Binary{Op: ast.OpEq, L: n.X, R: v})
	}
	out := joined(ast.OpOr, terms)
	if n.Not {
		return m.not(&ast.Unary{Op: ast.OpNot, X: out})
	}
	return out
}

// not gives the form that a test has for its contrary.
func (m *meaner) not(n *ast.Unary) ast.Expr {
	switch x := n.X.(type) {
	case *ast.Is:
		if x.Op == ast.IsNull || x.Op == ast.IsValue || x.Op == ast.IsDistinctFrom {
			other := *x
			other.Not = !x.Not
			return &other
		}
	case *ast.Between:
		other := *x
		other.Not = !x.Not
		return &other
	case *ast.Match:
		other := *x
		other.Not = !x.Not
		return &other
	case *ast.In:
		other := *x
		other.Not = !x.Not
		return m.in(&other)
	case *ast.Binary:
		if to, ok := map[ast.BinaryOp]ast.BinaryOp{ast.OpEq: ast.OpNe, ast.OpNe: ast.OpEq}[x.Op]; ok {
			other := *x
			other.Op = to
			return &other
		}
	}
	return n
}

// chain sorts what one operator joins.
func (m *meaner) chain(n *ast.Binary) ast.Expr {
	var terms []ast.Expr
	var collect func(x ast.Expr)
	collect = func(x ast.Expr) {
		if b, ok := x.(*ast.Binary); ok && b.Op == n.Op {
			collect(b.L)
			collect(b.R)
			return
		}
		terms = append(terms, x)
	}
	collect(n)
	return joined(n.Op, terms)
}

// joined joins terms in the order of their texts, each once.
func joined(op ast.BinaryOp, terms []ast.Expr) ast.Expr {
	texts := make(map[ast.Expr]string, len(terms))
	for _, t := range terms {
		texts[t] = catalog.NormalExpr(t)
	}
	terms = slices.Clone(terms)
	slices.SortStableFunc(terms, func(a, b ast.Expr) int { return strings.Compare(texts[a], texts[b]) })
	once := slices.CompactFunc(slices.Clone(terms), func(a, b ast.Expr) bool { return texts[a] == texts[b] })
	if len(once) == 1 && len(terms) > 1 {
		once = terms[:2] // one term alone need not be a truth value
	}
	return balanced(op, once)
}

func balanced(op ast.BinaryOp, terms []ast.Expr) ast.Expr {
	if len(terms) == 1 {
		return terms[0]
	}
	half := len(terms) / 2
	return &ast.Binary{Op: op, L: balanced(op, terms[:half]), R: balanced(op, terms[half:])}
}

// sameKey reports whether a foreign key that names the columns of its parent is the one that leaves them to the parent's key, or the other
// way round: that key does not change then.
func (c *comparison) sameKey(p *tablePair, live *catalog.ForeignKey, node *ast.TableConstraint) bool {
	r := node.References
	if (live.ParentColumns == nil) == (r.Columns == nil) {
		return false
	}
	schema, name := live.ParentName(p.after)
	parent := c.byName[types.Fold(name)]
	if schema != c.schema || parent == nil || !parent.comparesShape() || catalog.NormalKey(parent.after) != catalog.NormalKey(parent.decl) {
		return false
	}
	key := parent.decl.ColumnNames(parent.decl.KeyColumns())
	own, declared := *live, *r
	own.ParentColumns, declared.Columns = key, columnNodes(key)
	if live.ParentColumns != nil && !sameNames(live.ParentColumns, key) || r.Columns != nil && !sameNames(nameTexts(r.Columns), key) {
		return false
	}
	whole := *node
	whole.References = &declared
	opt := ast.Options{Compare: true, Schema: c.schema}
	stored := own.Node(p.after)
	stored.Name = node.Name
	return ast.FormatWith(stored, opt) == ast.FormatWith(&whole, opt)
}

func sameNames(a, b []string) bool {
	return slices.EqualFunc(a, b, types.EqualFold)
}
