package ast_test

import (
	"strings"

	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// gen draws random trees of the kind that the parser makes. budget bounds how many composite nodes one tree may still get.
type gen struct {
	t      *rapid.T
	budget int
}

func newGen(t *rapid.T, budget int) *gen { return &gen{t: t, budget: budget} }

// upTo draws a number from 0 to n−1.
func (g *gen) upTo(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "n") }

func (g *gen) chance(oneIn int) bool { return g.upTo(oneIn) == 0 }

// spend takes one composite node from the budget.
func (g *gen) spend() bool {
	g.budget--
	return g.budget > 0
}

func pick[T any](g *gen, choices ...T) T { return choices[g.upTo(len(choices))] }

// some draws a list of one element at least.
func some[T any](g *gen, most int, f func() T) []T {
	list := []T{f()}
	for len(list) < most && g.chance(2) {
		list = append(list, f())
	}
	return list
}

// maybe draws a value now and then, else the zero value.
func maybe[T any](g *gen, oneIn int, f func() T) (x T) {
	if g.chance(oneIn) {
		x = f()
	}
	return x
}

// nameTexts are ordinary names, words that are syntax in places, reserved words, and names that need quotes.
var nameTexts = strings.Fields(`a b c t u x y z Mixed _1
	groups filter window glob regexp escape exclude nulls first last materialized maintained tags context schema defaults
	inverse new old committed option maxrecursion seed domain collation import version current_date CURRENT_TIME column data type
	temp key action check unique set default on like references cascade restrict
	select from order group not null true and or case end union with values is in row partition distinct left natural
	replace table index primary constraint foreign generated stored collate rows unbounded`)

var oddNames = []string{"two words", `say "hi"`, "9x", "a.b", "--", "it's", "größe", "日本", ";", "\n", "a]b", "`", "İ"}

func (g *gen) name() ast.Name {
	switch g.upTo(8) {
	case 5:
		return ast.Name{Text: pick(g, oddNames...), Quoted: true}
	case 6, 7:
		return ast.Ident(pick(g, nameTexts...))
	}
	return ast.Ident(pick(g, "a", "b", "c", "t", "u"))
}

func (g *gen) names() []ast.Name { return some(g, 3, g.name) }

func (g *gen) optionalNames() []ast.Name { return maybe(g, 3, g.names) }

func (g *gen) optionalName() ast.Name { return maybe(g, 3, g.name) }

func (g *gen) qname() ast.QName { return ast.QName{Schema: maybe(g, 4, g.name), Name: g.name()} }

func (g *gen) typeName() *ast.TypeName {
	t := &ast.TypeName{Name: pick(g, "integer", "Text", "varchar", "decimal", "kind of", "key", "select")}
	if g.chance(4) {
		t.Args = pick(g, []string{"10"}, []string{"8", "2"})
	}
	return t
}

func (g *gen) literal() *ast.Literal {
	switch g.upTo(8) {
	case 0:
		return &ast.Literal{Kind: ast.NullLit}
	case 1:
		return &ast.Literal{Kind: pick(g, ast.TrueLit, ast.FalseLit)}
	case 2:
		return &ast.Literal{Kind: ast.RealLit, Text: pick(g, "1.50", "1e3", "2.5E-7", "0.0")}
	case 3, 4:
		return &ast.Literal{Kind: ast.TextLit, Text: pick(g, "", "it's", "$.k", "k", "--", "ü\n")}
	case 5:
		return &ast.Literal{Kind: ast.BlobLit, Text: pick(g, "", "\x00\xff")}
	}
	return &ast.Literal{Kind: ast.IntegerLit, Text: pick(g, "0", "1", "007", "0x1F", "12345678901234567890")}
}

// constant draws a literal of the kind that stands in tags and arguments, in its canonical spelling.
func (g *gen) constant() *ast.Literal {
	switch g.upTo(5) {
	case 0:
		return &ast.Literal{Kind: pick(g, ast.NullLit, ast.TrueLit, ast.FalseLit)}
	case 1:
		return &ast.Literal{Kind: ast.TextLit, Text: pick(g, "", "it's", "x")}
	case 2:
		return &ast.Literal{Kind: ast.RealLit, Text: pick(g, "1.5", "-2.25", "1e+300")}
	}
	return &ast.Literal{Kind: ast.IntegerLit, Text: pick(g, "0", "7", "-12", "98765432109876543210")}
}

func (g *gen) tags() []ast.Tag {
	return maybe(g, 4, func() []ast.Tag {
		return some(g, 2, func() ast.Tag { return ast.Tag{Key: g.name(), Value: g.constant()} })
	})
}

func (g *gen) assignments() []ast.Assignment {
	return some(g, 2, func() ast.Assignment { return ast.Assignment{Column: g.name(), X: g.expr()} })
}

func (g *gen) exprs(most int) []ast.Expr { return some(g, most, g.expr) }

func (g *gen) optionalExpr(oneIn int) ast.Expr {
	if g.chance(oneIn) {
		return g.expr()
	}
	return nil
}

// expr draws any expression.
func (g *gen) expr() ast.Expr {
	if !g.spend() {
		return g.leaf()
	}
	switch g.upTo(16) {
	case 0, 1:
		return g.leaf()
	case 2, 3:
		return &ast.Unary{Op: pick(g, ast.OpNot, ast.OpNeg, ast.OpPlus, ast.OpBitNot), X: g.expr()}
	case 4, 5, 6, 7:
		return g.binary()
	case 8:
		return &ast.Collate{X: g.expr(), Collation: ast.Ident(pick(g, "NoCase", "binary", "my coll", "key"))}
	case 9:
		return &ast.Cast{X: g.expr(), Type: *g.typeName()}
	case 10:
		return g.caseExpr()
	case 11:
		return g.call()
	case 12:
		return &ast.RowExpr{Elems: append([]ast.Expr{g.expr()}, g.exprs(2)...)}
	}
	return g.predicate()
}

func (g *gen) leaf() ast.Expr {
	switch g.upTo(5) {
	case 0, 1:
		return g.literal()
	case 2:
		switch g.upTo(3) {
		case 0:
			return &ast.Param{Question: true}
		case 1:
			return &ast.Param{Index: 7}
		}
		return &ast.Param{Name: g.name().Text}
	}
	c := &ast.ColumnRef{Column: g.name()}
	if g.chance(4) {
		c.Table = g.name()
		c.Schema = maybe(g, 3, g.name)
	}
	return c
}

func (g *gen) binary() ast.Expr {
	op := ast.BinaryOp(g.upTo(int(ast.OpJSONText) + 1))
	if g.chance(2) { // near each other in precedence
		op = pick(g, ast.OpOr, ast.OpXor, ast.OpAnd, ast.OpEq, ast.OpLt, ast.OpAdd, ast.OpSub, ast.OpMul, ast.OpMod, ast.OpConcat)
	}
	return &ast.Binary{Op: op, L: g.expr(), R: g.expr()}
}

func (g *gen) caseExpr() ast.Expr {
	return &ast.Case{
		Operand: g.optionalExpr(2),
		Whens:   some(g, 2, func() ast.When { return ast.When{Cond: g.expr(), Then: g.expr()} }),
		Else:    g.optionalExpr(2),
	}
}

func (g *gen) call() ast.Expr {
	c := &ast.Call{Name: g.name()}
	switch g.upTo(4) {
	case 0:
		c.Star = true
	case 1:
	default:
		c.Distinct = g.chance(4)
		c.Args = g.exprs(3)
		c.OrderBy = maybe(g, 5, g.orderBy)
	}
	c.Filter = g.optionalExpr(6)
	switch g.upTo(6) {
	case 0:
		c.Over = &ast.Window{Base: g.name(), Bare: true}
	case 1:
		c.Over = g.window()
	}
	if c.Over != nil {
		c.Nulls = ast.NullTreatment(g.upTo(3))
	}
	return c
}

func (g *gen) window() *ast.Window {
	return &ast.Window{
		Base:        g.optionalName(),
		PartitionBy: maybe(g, 3, func() []ast.Expr { return g.exprs(2) }),
		OrderBy:     maybe(g, 2, g.orderBy),
		Frame:       maybe(g, 2, g.frame),
	}
}

func (g *gen) frame() *ast.Frame {
	f := &ast.Frame{Unit: pick(g, ast.FrameRows, ast.FrameRange, ast.FrameGroups), Start: g.bound(), Exclude: ast.FrameExclude(g.upTo(5))}
	if g.chance(2) {
		last := g.bound()
		f.Last = &last
	}
	return f
}

func (g *gen) bound() ast.FrameBound {
	b := ast.FrameBound{Kind: ast.BoundKind(g.upTo(5))}
	if b.Kind == ast.Preceding || b.Kind == ast.Following {
		b.Offset = g.expr()
	}
	return b
}

func (g *gen) orderBy() []ast.OrderTerm {
	return some(g, 2, func() ast.OrderTerm {
		return ast.OrderTerm{X: g.expr(), Desc: g.chance(2), Nulls: ast.NullsOrder(g.upTo(3))}
	})
}

func (g *gen) predicate() ast.Expr {
	not := g.chance(2)
	switch g.upTo(6) {
	case 0:
		x := &ast.Is{X: g.expr(), Not: not, Op: ast.IsOp(g.upTo(5))}
		if x.Op >= ast.IsValue {
			x.Y = g.expr()
		}
		return x
	case 1:
		return &ast.Between{X: g.expr(), Not: not, Lo: g.expr(), Hi: g.expr()}
	case 2:
		return g.in(not)
	case 3:
		x := &ast.Match{Op: ast.MatchOp(g.upTo(3)), X: g.expr(), Not: not, P: g.expr()}
		if x.Op == ast.OpLike {
			x.Escape = g.optionalExpr(3)
		}
		return x
	case 4:
		return &ast.Exists{Query: g.query()}
	}
	return &ast.Subquery{Query: g.query()}
}

func (g *gen) in(not bool) ast.Expr {
	x := &ast.In{X: g.expr(), Not: not}
	switch g.upTo(4) {
	case 0:
		x.Query = g.query()
	case 1:
		q := g.qname()
		x.Table = &q
	case 2:
		x.List = g.exprs(3)
		if sub, ok := x.List[0].(*ast.Subquery); ok && len(x.List) == 1 { // the parser makes it the query
			x.Query, x.List = sub.Query, nil
		}
	}
	return x
}
