package plan

import "slices"

// copier copies trees. Column ids stay; what nodes of the tree share among them (members of WITH, working tables, the limits that
// scans and sorts know of) is shared among the copies as well.
type copier struct {
	// expr is applied to every expression of the tree, those of subqueries included.
	expr   func(Expr) Expr
	ctes   map[*CTE]*CTE
	works  map[*WorkTable]*WorkTable
	limits map[*Limit]*Limit
}

// copyTree copies a tree, each of its expressions replaced by what f makes of it.
func copyTree(root Node, f func(Expr) Expr) Node {
	c := &copier{expr: f, ctes: map[*CTE]*CTE{}, works: map[*WorkTable]*WorkTable{}, limits: map[*Limit]*Limit{}}
	return c.node(root)
}

func (c *copier) node(n Node) Node {
	n = c.shallow(n)
	eachInput(n, func(slot *Node) { *slot = c.node(*slot) })
	eachExpr(n, func(slot *Expr) { *slot = c.expr(*slot) })
	return n
}

// shallow copies a node with the lists that hold its expressions. What it shares with nodes below it must be copied before these.
func (c *copier) shallow(n Node) Node {
	switch n := n.(type) {
	case *Scan:
		s := clone(n)
		s.Filters, s.Top = slices.Clone(n.Filters), c.limit(n.Top)
		s.Access = copyAccess(n.Access)
		return s
	case *Limit:
		l := c.limit(n)
		*l = *n
		return l
	case *Sort:
		s := clone(n)
		s.Keys, s.Top = slices.Clone(n.Keys), c.limit(n.Top)
		return s
	case *With:
		w := clone(n)
		w.CTEs = make([]*CTE, len(n.CTEs))
		for i, m := range n.CTEs {
			w.CTEs[i] = clone(m)
			c.ctes[m] = w.CTEs[i]
		}
		return w
	case *CTERead:
		r := clone(n)
		if m := c.ctes[n.CTE]; m != nil {
			r.CTE = m
		}
		return r
	case *Recursive:
		r := clone(n)
		r.Work = clone(n.Work)
		c.works[n.Work] = r.Work
		return r
	case *WorkRead:
		r := clone(n)
		if w := c.works[n.Work]; w != nil {
			r.Work = w
		}
		return r
	}
	return copyPlain(n)
}

// limit gives the copy of a limit, which may be met before the limit itself is.
func (c *copier) limit(l *Limit) *Limit {
	if l == nil {
		return nil
	}
	if c.limits[l] == nil {
		c.limits[l] = new(Limit)
		*c.limits[l] = *l
	}
	return c.limits[l]
}

// copyPlain copies the nodes that share nothing.
func copyPlain(n Node) Node {
	switch n := n.(type) {
	case *Values:
		v := clone(n)
		v.Rows = slices.Clone(n.Rows)
		for i := range v.Rows {
			v.Rows[i] = slices.Clone(v.Rows[i])
		}
		return v
	case *TableFunc:
		t := clone(n)
		t.Args = slices.Clone(n.Args)
		return t
	case *Filter:
		f := clone(n)
		f.Conds = slices.Clone(n.Conds)
		return f
	case *Project:
		p := clone(n)
		p.Items = slices.Clone(n.Items)
		return p
	case *Join:
		j := clone(n)
		j.On, j.Keys = slices.Clone(n.On), slices.Clone(n.Keys)
		return j
	case *Aggregate:
		a := clone(n)
		a.Keys, a.Aggs = slices.Clone(n.Keys), slices.Clone(n.Aggs)
		for i, g := range a.Aggs {
			a.Aggs[i] = clone(g)
			a.Aggs[i].Args, a.Aggs[i].OrderBy = slices.Clone(g.Args), slices.Clone(g.OrderBy)
		}
		return a
	case *Window:
		w := clone(n)
		w.Calls = slices.Clone(n.Calls)
		for i, call := range w.Calls {
			w.Calls[i] = clone(call)
			w.Calls[i].Args = slices.Clone(call.Args)
		}
		return w
	case *Distinct:
		return clone(n)
	case *SetOp:
		return clone(n)
	}
	panic("plan: a node that cannot be copied") // data changes stand in no subquery
}

func copyAccess(a *Access) *Access {
	if a == nil {
		return nil
	}
	c := clone(a)
	c.Pins, c.Ranges, c.Residual = slices.Clone(a.Pins), slices.Clone(a.Ranges), slices.Clone(a.Residual)
	for i := range c.Pins {
		c.Pins[i].Values = slices.Clone(c.Pins[i].Values)
	}
	for i, r := range c.Ranges {
		c.Ranges[i] = Range{copyBound(r.Lower), copyBound(r.Upper)}
	}
	return c
}

func copyBound(b *Bound) *Bound {
	if b == nil {
		return nil
	}
	return clone(b)
}
