package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

func (b *Binder) updateStmt(s *ast.UpdateStmt) Node {
	return b.changeStmt(s.With, &s.WriteClauses, func() Node { return b.update(s) })
}

// update binds UPDATE without its WITH.
func (b *Binder) update(s *ast.UpdateStmt) Node {
	t := b.target(&s.Table)
	if t == nil {
		return oneRow()
	}
	n := &Update{}
	name, schema := targetName(&s.Table, t)
	scan := b.scan(t, name, s.Table.Pos())
	p := newPart(scan, name, schema, nil)
	if s.From != nil {
		p = b.updateFrom(p, s.From)
	}
	scope := p.scope(nil)
	n.Source = b.matching(p.node, s.Where, scope, "the WHERE of UPDATE")
	if s.From != nil {
		n.Source = b.firstMatches(n.Source, scan, t)
	}
	b.unchanging("the SET of UPDATE", func() { n.Set = b.assignments(t, s.Set, scope, "", "UPDATE on") })
	if b.err != nil {
		return oneRow()
	}
	rs := b.newRuleSet(t, ast.ConflictDefault, s.Context)
	im := b.images(t)
	im.old = scan.Output()
	n.Rules = rs.rules(t, ast.OnUpdate, im, n.Set)
	n.Returning = b.returning(s.Returning, rowNames{kind: "UPDATE", name: name, schema: schema, row: im.new, new: im.new, old: im.old})
	rs.finish(&n.Write)
	return b.changed(n)
}

// updateFrom joins the target with the sources of FROM, whose rows keep their order for each row of the target.
func (b *Binder) updateFrom(target part, from ast.TableExpr) part {
	f := b.from(from, nil, nil)
	b.refuseSameNames(target, f, from.Pos())
	return part{
		node:    &Join{Kind: InnerJoin, L: target.node, R: f.node},
		sources: slices.Concat(target.sources, f.sources), visible: slices.Concat(target.visible, f.visible),
	}
}

// matching puts WHERE above a source.
func (b *Binder) matching(n Node, where ast.Expr, s *Scope, clause string) Node {
	if where == nil {
		return n
	}
	var conds []Expr
	b.unchanging(clause, func() { conds = Conjuncts(b.expr(where, s)) })
	return filter(n, conds)
}

// firstMatches keeps the first of the rows that a row of the target comes with.
func (b *Binder) firstMatches(n Node, scan Node, t *catalog.Table) Node {
	key := t.KeyColumns()
	if len(key) == 0 {
		return &Limit{Input: n, Count: b.constant(types.Int(1), types.TypeInteger, ast.NoPos), KeepsFirst: true}
	}
	cols := make([]Column, 0, len(n.Output()))
	for _, i := range key {
		cols = append(cols, scan.Output()[i])
	}
	for _, c := range n.Output() {
		if findColumn(cols[:len(key)], c.ID) < 0 {
			cols = append(cols, c)
		}
	}
	p := &Project{Input: n}
	for _, c := range cols {
		p.Items = append(p.Items, Item{Column: c, X: b.ref(c, ast.NoPos)})
	}
	return &Distinct{Input: p, Width: len(key), KeepsFirst: true}
}

func (b *Binder) deleteStmt(s *ast.DeleteStmt) Node {
	return b.changeStmt(s.With, &s.WriteClauses, func() Node { return b.delete(s) })
}

// delete binds DELETE without its WITH.
func (b *Binder) delete(s *ast.DeleteStmt) Node {
	t := b.target(&s.Table)
	if t == nil {
		return oneRow()
	}
	n := &Delete{}
	name, schema := targetName(&s.Table, t)
	scan := b.scan(t, name, s.Table.Pos())
	p := newPart(scan, name, schema, nil)
	n.Source = b.matching(scan, s.Where, p.scope(nil), "the WHERE of DELETE")
	if b.err != nil {
		return oneRow()
	}
	rs := b.newRuleSet(t, ast.ConflictDefault, s.Context)
	im := b.images(t)
	im.old = scan.Output()
	n.Rules = rs.rules(t, ast.OnDelete, im, nil)
	n.Returning = b.returning(s.Returning, rowNames{kind: "DELETE", name: name, schema: schema, row: im.old, old: im.old})
	rs.finish(&n.Write)
	return b.changed(n)
}

// rowNames are the names under which RETURNING knows the images of a row. A missing image may not be named.
type rowNames struct {
	kind         string
	name, schema string
	row          []Column // what bare names, the target's name and * mean
	new, old     []Column
}

// scope makes the scope of RETURNING.
func (r *rowNames) scope() *Scope {
	s := &Scope{
		sources: []*source{{name: types.Fold(r.name), schema: types.Fold(r.schema), cols: r.row}},
		visible: visibles(r.row),
		missing: func(ref *ast.ColumnRef) *types.Error {
			for _, image := range []string{"NEW", "OLD"} {
				if types.EqualFold(ref.Table.Text, image) {
					return types.Errorf(types.ERROR, "%s qualifier cannot be used in %s RETURNING clause", image, r.kind)
				}
			}
			return nil
		},
	}
	if r.new != nil {
		s.sources = append(s.sources, &source{name: "new", cols: r.new})
	}
	if r.old != nil {
		s.sources = append(s.sources, &source{name: "old", cols: r.old})
	}
	return s
}

// returning binds RETURNING (docs/reference/language.md).
func (b *Binder) returning(list []ast.SelectItem, r rowNames) []Item {
	var names []string
	var exprs []Expr
	s := r.scope()
	b.unchanging("RETURNING", func() {
		for i := range list {
			it := &list[i]
			if it.Star {
				for _, c := range b.returningStar(it, &r) {
					names, exprs = append(names, c.Name), append(exprs, b.ref(c, it.Pos()))
				}
				continue
			}
			b.refuseWindows(it)
			names, exprs = append(names, ast.ReturningName(it)), append(exprs, b.expr(it.X, s))
		}
	})
	ast.UniqueNames(names)
	items := make([]Item, len(exprs))
	for i, x := range exprs {
		items[i] = Item{Column: b.column(names[i], x.Static()), X: x}
	}
	return items
}

// returningStar lists the columns of `*` or `t.*`.
func (b *Binder) returningStar(it *ast.SelectItem, r *rowNames) []Column {
	own := it.Table.IsZero() || types.EqualFold(it.Table.Text, r.name) && (it.Schema.IsZero() || types.EqualFold(it.Schema.Text, r.schema))
	if !own {
		b.fail(it.Pos(), types.ERROR, "Table '%s' not found in FROM clause for qualified RETURNING *", it.Table.Text)
		return nil
	}
	return r.row
}

// refuseWindows refuses window functions in RETURNING, outside its subqueries.
func (b *Binder) refuseWindows(it *ast.SelectItem) {
	ast.Walk(it.X, func(n ast.Node) bool {
		if _, ok := n.(*ast.SelectStmt); ok {
			return false
		}
		if c, ok := n.(*ast.Call); ok && c.Over != nil {
			b.fail(c.Pos(), types.ERROR, "window functions are not allowed in RETURNING: %s", types.Fold(c.Name.Text))
		}
		return true
	})
}
