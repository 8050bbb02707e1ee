package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// pushFilters moves every condition as far down as it keeps its meaning: into scans, below joins, sorts and projections, into
// both legs of UNION ALL. What is left stands in a Filter above the node it could not pass.
func (o *optimizer) pushFilters(root Node) Node { return o.push(root, nil) }

// push gives n with the conditions applied to its rows.
func (o *optimizer) push(n Node, conds []Expr) Node {
	switch n := n.(type) {
	case *Filter:
		return o.push(n.Input, append(slices.Clone(n.Conds), conds...))
	case *Project:
		return o.pushProject(n, conds)
	case *Join:
		return o.pushJoin(n, conds)
	case *SetOp:
		return o.pushSetOp(n, conds)
	case *Scan:
		if len(conds) == 0 {
			return n
		}
		s := fresh(n)
		s.Filters = subqueriesLast(slices.Concat(n.Filters, conds))
		return s
	case *With:
		w := copyNode(n).(*With)
		for i, body := range w.Bodies {
			w.Bodies[i] = o.push(body, nil)
		}
		w.Body = o.push(w.Body, conds)
		return w
	case *Sort:
		if n.Top == nil {
			return o.below(n, conds)
		}
	case *Aggregate:
		keys := itemColumns(slices.DeleteFunc(slices.Clone(n.Keys), func(k Item) bool { return !isDeterministic(k.X) }))
		below, above := split(conds, func(x Expr) bool { return len(n.Keys) > 0 && readsExactly(x, keys) })
		return filter(o.below(n, substituteItems(below, n.Keys)), above)
	case *Window:
		below, above := split(conds, func(x Expr) bool { return len(n.Partition) > 0 && readsExactly(x, n.partitionColumns()) })
		return filter(o.below(n, below), above)
	case *Distinct:
		below, above := split(conds, func(x Expr) bool { return readsExactly(x, n.Output()[:n.Width]) })
		return filter(o.below(n, below), above)
	}
	return filter(o.below(n, nil), subqueriesLast(conds))
}

// below gives n with the conditions applied to the rows of its inputs.
func (o *optimizer) below(n Node, conds []Expr) Node {
	return mapInputs(n, func(in Node) Node { return o.push(in, conds) })
}

// split divides conditions by a test, keeping their order.
func split(conds []Expr, test func(Expr) bool) (yes, no []Expr) {
	for _, c := range conds {
		if test(c) {
			yes = append(yes, c)
		} else {
			no = append(no, c)
		}
	}
	return yes, no
}

// subqueriesLast puts conditions that hold subqueries behind the others, so that they run for rows that the others let pass.
func subqueriesLast(conds []Expr) []Expr {
	plain, heavy := split(conds, func(x Expr) bool { return !HasSubquery(x) })
	return append(plain, heavy...)
}

// pushProject passes the conditions whose columns the projection passes on or computes in a way that may be repeated.
func (o *optimizer) pushProject(p *Project, conds []Expr) Node {
	repeatable := ColSet{}
	for _, it := range p.Items {
		if isDeterministic(it.X) {
			repeatable.Add(it.ID)
		}
	}
	made := ColSet{}
	made.AddColumns(p.Output())
	below, above := split(conds, func(x Expr) bool {
		for id := range ExprColumns(x) {
			if made.Has(id) && !repeatable.Has(id) {
				return false
			}
		}
		return isDeterministic(x) || HasSubquery(x)
	})
	return filter(o.below(p, substituteItems(below, p.Items)), above)
}

// substituteItems gives conditions with computed columns replaced by what computes them.
func substituteItems(conds []Expr, items []Item) []Expr {
	by := map[ColID]Expr{}
	for _, it := range items {
		if c, ok := it.X.(*Col); !ok || c.ID != it.ID {
			by[it.ID] = it.X
		}
	}
	return substitute(conds, by)
}

// readsExactly reports whether a condition reads, of the rows at hand, only columns in which equal values are the same value, so
// that it is alike for all rows that a grouping puts together.
func readsExactly(x Expr, cols []Column) bool {
	for id := range ExprColumns(x) {
		i := findColumn(cols, id)
		if i < 0 || !isExact(cols[i]) {
			return false
		}
	}
	return isDeterministic(x)
}

// isExact reports whether equal values of a column are indistinguishable.
func isExact(c Column) bool {
	switch c.Type {
	case types.TypeInteger, types.TypeBoolean, types.TypeBlob, types.TypeDate, types.TypeTime, types.TypeDatetime, types.TypeTimestamp:
		return true
	case types.TypeText:
		return c.Collation.Effective() == types.Binary
	}
	return false
}

// pushSetOp passes conditions into both legs of a plain UNION ALL.
func (o *optimizer) pushSetOp(s *SetOp, conds []Expr) Node {
	below, above := split(conds, func(x Expr) bool {
		return s.Op == ast.UnionAll && len(s.Flags) == 0 && isDeterministic(x)
	})
	legs := mapInputs(s, func(leg Node) Node {
		by := map[ColID]Expr{}
		for i, c := range leg.Output() {
			by[s.Cols[i].ID] = o.b.ref(c, ast.NoPos)
		}
		return o.push(leg, substitute(below, by))
	})
	return filter(legs, above)
}

// pushJoin passes conditions to the side they read, or into the join's own condition. Conditions above an outer join may pass to
// the preserved side, conditions in it to the other.
func (o *optimizer) pushJoin(j *Join, conds []Expr) Node {
	l, r := ColSet{}, ColSet{}
	l.AddColumns(j.L.Output())
	r.AddColumns(j.R.Output())
	readsOnly := func(side, other ColSet) func(Expr) bool {
		return func(x Expr) bool {
			cols := ExprColumns(x)
			return !cols.Meets(other) && !cols.Has(j.LeftMatched.ID) && !cols.Has(j.RightMatched.ID)
		}
	}
	j = fresh(j)
	var toL, toR []Expr
	switch j.Kind {
	case InnerJoin:
		all := append(slices.Clone(conds), j.On...)
		toL, all = split(all, readsOnly(l, r))
		toR, j.On = split(all, readsOnly(r, l))
		conds = nil
	case LeftJoin:
		toL, conds = split(conds, readsOnly(l, r))
		toR, j.On = split(j.On, readsOnly(r, l))
	case SemiJoin, AntiJoin: // what is above reads left columns only
		toL, conds = conds, nil
		toR, j.On = split(j.On, readsOnly(r, l))
	case RightJoin:
		toR, conds = split(conds, readsOnly(r, l))
		toL, j.On = split(j.On, readsOnly(l, r))
	}
	j.On = subqueriesLast(j.On)
	j.L, j.R = o.push(j.L, toL), o.push(j.R, toR)
	return filter(j, conds)
}
