package plan

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// in binds x [not] in (list), (query) or t.
func (b *Binder) in(x *ast.In, s *Scope) Expr {
	probe := []ast.Expr{x.X}
	if row, ok := x.X.(*ast.RowExpr); ok {
		probe = row.Elems
	}
	bound := b.exprs(probe, s)
	switch {
	case x.Query != nil:
		return b.inQuery(x, bound, b.subplan(x.Query, s))
	case x.Table != nil:
		b.nested++
		p := b.tableRef(&ast.TableRef{Span: x.Span, Name: *x.Table})
		b.nested--
		return b.inQuery(x, bound, b.newSubplan(p.node))
	}
	return b.inList(x, bound, s)
}

// inList binds the members of a list. One collation serves them all: the members' merge first, then against the probe.
func (b *Binder) inList(x *ast.In, probe []Expr, s *Scope) Expr {
	e := &In{Info: Info{Type: types.TypeBoolean, Pos: b.pos(x.Pos())}, X: probe, Not: x.Not}
	for _, item := range x.List {
		members := []ast.Expr{item}
		if row, ok := item.(*ast.RowExpr); ok && len(probe) > 1 {
			members = row.Elems
		}
		if len(members) != len(probe) {
			b.fail(item.Pos(), types.ERROR, "a row value of %d members cannot be looked up among those of %d", len(probe), len(members))
			return b.bad(x.Pos())
		}
		e.Items = append(e.Items, b.exprs(members, s))
	}
	e.By = make([][]Match, len(e.Items))
	for i := range e.By {
		e.By[i] = make([]Match, len(probe))
	}
	for m := range probe {
		b.matchMembers(x.Pos(), e, m)
	}
	e.Nullable = anyNullable(probe)
	for _, item := range e.Items {
		e.Nullable = e.Nullable || anyNullable(item)
	}
	return e
}

// matchMembers settles the comparisons of the probe's member m with that of each item.
func (b *Binder) matchMembers(at ast.Pos, e *In, m int) {
	column := make([]Expr, len(e.Items))
	contributions := make([]types.Contribution, len(e.Items))
	for i, item := range e.Items {
		column[i] = item[m]
		b.comparand(e.X[m], item[m].Static().Type)
		b.comparand(item[m], e.X[m].Static().Type)
		contributions[i] = item[m].Static().Collation
	}
	merged, err := types.MergeContributions(contributions...)
	if err != nil {
		b.failWith(at, err)
	}
	coll := b.resolve(at, e.X[m].Static().Collation, merged)
	casts := memberCasts(e.X[m], column)
	for i, item := range e.Items {
		e.By[i][m] = matchOf(e.X[m], item[m], casts[i], coll)
		item[m] = b.cast(item[m], casts[i].Member, item[m].Static().Pos)
		e.Nullable = e.Nullable || casts[i].Probe != nil
	}
}

func anyNullable(list []Expr) bool {
	for _, x := range list {
		if x.Static().Nullable {
			return true
		}
	}
	return false
}

// inQuery binds a lookup among the rows of a query. A conversion of the query's column is written into a projection.
func (b *Binder) inQuery(x *ast.In, probe []Expr, p *Subplan) Expr {
	cols := p.Root.Output()
	if len(cols) != len(probe) {
		if len(probe) == 1 {
			b.fail(x.Pos(), types.ERROR, "IN subquery must return exactly one column")
		} else {
			b.fail(x.Pos(), types.ERROR, "IN subquery must return exactly %d columns", len(probe))
		}
		return b.bad(x.Pos())
	}
	e := &InQuery{Info: Info{Type: types.TypeBoolean, Nullable: anyNullable(probe), Pos: b.pos(x.Pos())}, X: probe, Plan: p, Not: x.Not}
	cast := make([]Expr, len(cols))
	converts := false
	for m, c := range cols {
		member := b.ref(c, x.Pos())
		var pair types.CastPair
		pair.Probe, pair.Member = types.ComparisonCast(probe[m].Static().Type, c.Type)
		coll := b.resolve(x.Pos(), probe[m].Static().Collation, c.Collation)
		e.By = append(e.By, matchOf(probe[m], member, pair, coll))
		cast[m] = b.cast(member, pair.Member, x.Pos())
		converts = converts || pair.Member != nil
		e.Nullable = e.Nullable || cast[m].Static().Nullable || pair.Probe != nil
	}
	if converts {
		e.Plan = b.newSubplan(b.project(p.Root, columnNames(cols), cast))
	}
	return e
}
