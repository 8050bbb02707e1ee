package alter

import (
	"fmt"
	"iter"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// guard looks for the stored texts that stand in the way of taking away a relation, or with column a column of one.
type guard struct {
	change               *change
	schema, name, column string
	// owner is the table that goes or loses the column; nil for a view.
	owner *catalog.Table
	// skip leaves texts out that go with the change.
	skip func(catalog.Text) bool
	// names resolves names as they are, after as they are once the column is gone (nil for a relation).
	names, after *catalog.Names
}

// reason is a text that stands in the way, with how it reaches what is taken away.
type reason struct {
	text catalog.Text
	// path names the views by which it does, "" when it names it itself.
	path string
	// broken is the view on the way whose list of columns would not fit its body any more, nil for none.
	broken *catalog.View
}

// first gives the reason that is reported: the first in the documented order, then in order of the catalog. nil when nothing
// stands in the way.
func (g *guard) first() *reason {
	cat := g.change.env.Catalog()
	g.names = g.change.env.Names(cat)
	if g.column != "" {
		g.after = g.change.env.Names(with(cat, g.owner.ShiftForDrop(g.owner.ColumnIndex(g.column)).Table))
	}
	var first *reason
	for x := range g.texts() {
		if g.skip(x) || first != nil && g.rank(first.text) <= g.rank(x) {
			continue
		}
		if r := g.reach(x); r != nil {
			first = r
		}
	}
	return first
}

// texts yields the texts that can reach what is taken away: the owner's own, and those that name it or a view over it. Bodies of views
// are none: a view may stay without what it reads.
func (g *guard) texts() iter.Seq[catalog.Text] {
	readers := g.change.env.Catalog().Reaching(g.name)
	if g.owner != nil && !slices.Contains(readers, catalog.Object(g.owner)) {
		readers = append([]catalog.Object{g.owner}, readers...)
	}
	return func(yield func(catalog.Text) bool) {
		for _, o := range readers {
			if _, isView := o.(*catalog.View); isView {
				continue
			}
			for x := range g.names.Texts(o) {
				if !yield(x) {
					return
				}
			}
		}
	}
}

// rank orders the reasons of a refusal: own texts before others', kinds in order of the checks (docs/reference/alter.md), assertions behind them;
// for a relation that is dropped assertions come first (docs/reference/language.md).
func (g *guard) rank(x catalog.Text) int {
	if isAssertion(x) {
		if g.column != "" {
			return 10
		}
		return -1
	}
	kinds := [...]int{
		catalog.GeneratedExpression: 0, catalog.IndexPredicate: 1, catalog.IndexMemberExpression: 2,
		catalog.DefaultExpression: 3, catalog.CheckExpression: 4,
	}
	if x.Owner == catalog.Object(g.owner) {
		return kinds[x.Expression.Kind]
	}
	return 5 + kinds[x.Expression.Kind]
}

func isAssertion(x catalog.Text) bool {
	_, is := x.Owner.(*catalog.Assertion)
	return is
}

// reach tells how a text reaches what is taken away: directly, or through views; nil when it does not.
func (g *guard) reach(x catalog.Text) *reason {
	if g.mentions(x.Node, x.Home) {
		return &reason{text: x}
	}
	r := g.throughViews(x.Node, x.Home, nil)
	if r != nil {
		r.text = x
	}
	return r
}

func (g *guard) mentions(n ast.Node, home resolve.Home) bool {
	return resolve.Mentions(n, home, g.schema, g.name, g.column)
}

// throughViews follows the views that a text names, depth first; seen are those on the way.
func (g *guard) throughViews(n ast.Node, home resolve.Home, seen []*catalog.View) *reason {
	for _, q := range resolve.Sources(n) {
		v := g.view(q, home)
		if v == nil || slices.Contains(seen, v) {
			continue
		}
		step := fmt.Sprintf("view '%s'", v.Name)
		inner := g.names.HomeOf(v.Schema)
		switch {
		case g.mentions(v.Body, inner):
			return &reason{path: step}
		case g.misfits(v):
			return &reason{path: step, broken: v}
		}
		if r := g.throughViews(v.Body, inner, append(seen, v)); r != nil {
			r.path = step + " -> " + r.path
			return r
		}
	}
	return nil
}

// misfits reports whether a view's explicit list of columns would name more columns than its body yields, or others.
func (g *guard) misfits(v *catalog.View) bool {
	return g.after != nil && v.Columns != nil &&
		len(resolve.Columns(v.Body, g.names.HomeOf(v.Schema))) != len(resolve.Columns(v.Body, g.after.HomeOf(v.Schema)))
}

func (g *guard) view(q ast.QName, home resolve.Home) *catalog.View {
	cat := g.change.env.Catalog()
	if !q.Schema.IsZero() {
		return cat.View(q.Schema.Text, q.Name.Text)
	}
	v, _ := cat.Resolve(home.Path, q.Name.Text).(*catalog.View)
	return v
}

// refusal is the error of a change that a text stands in the way of; advice says what to do.
func (g *guard) refusal(r *reason, what, advice string) error {
	describe := describe(r.text, g.owner)
	msg := fmt.Sprintf("%s: it is referenced by %s", what, describe)
	switch {
	case r.broken != nil:
		msg = fmt.Sprintf("%s: %s reaches it through %s, and view '%s' would no longer match its body", what, describe, r.path, r.broken.Name)
	case r.path != "":
		msg = fmt.Sprintf("%s: %s reaches it through %s", what, describe, r.path)
	}
	return &types.Error{Code: types.CONSTRAINT, Message: msg, Hint: advice}
}
