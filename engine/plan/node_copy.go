package plan

import "slices"

// mapInputs gives a node over what f makes of its inputs: itself when f changes none.
func mapInputs(n Node, f func(Node) Node) Node {
	var answers []Node
	changed := false
	eachInput(n, func(slot *Node) {
		x := f(*slot)
		changed = changed || x != *slot
		answers = append(answers, x)
	})
	if !changed {
		return n
	}
	c := copyNode(n)
	i := 0
	eachInput(c, func(slot *Node) {
		*slot = answers[i]
		i++
	})
	return c
}

// mapExprs gives a node with what f makes of the expressions that it holds: itself when f changes none. A data change stands in one
// place and runs once, and its rules belong to it alone: they are written where they are.
func mapExprs(n Node, f func(Expr) Expr) Node {
	if c, ok := n.(Change); ok {
		eachExpr(c, func(slot *Expr) { *slot = f(*slot) })
		return n
	}
	var answers []Expr
	changed := false
	eachExpr(n, func(slot *Expr) {
		x := f(*slot)
		changed = changed || x != *slot
		answers = append(answers, x)
	})
	if !changed {
		return n
	}
	c := copyNode(n)
	i := 0
	eachExpr(c, func(slot *Expr) {
		*slot = answers[i]
		i++
	})
	return c
}

// bottomUp gives a tree in which every node, inputs first, has become what f makes of it.
func bottomUp(n Node, f func(Node) Node) Node {
	return f(mapInputs(n, func(in Node) Node { return bottomUp(in, f) }))
}

// fresh copies a node that is about to be changed; lists, inputs and expressions are shared, derived properties forgotten.
func fresh[T any, P interface {
	*T
	Node
}](n P) P {
	c := P(clone((*T)(n)))
	*c.derived() = properties{}
	return c
}

// copyNode copies a node with its lists, and forgets its derived properties; inputs and expressions are shared.
func copyNode(n Node) Node {
	c := copyKind(n)
	*c.derived() = properties{}
	return c
}

func copyKind(n Node) Node {
	switch n := n.(type) {
	case *Scan:
		c := clone(n)
		c.Filters, c.Access = slices.Clone(n.Filters), copyAccess(n.Access)
		return c
	case *Values:
		c := clone(n)
		c.Rows = slices.Clone(n.Rows)
		for i := range c.Rows {
			c.Rows[i] = slices.Clone(c.Rows[i])
		}
		return c
	case *TableFunc:
		c := clone(n)
		c.Args = slices.Clone(n.Args)
		return c
	case *Filter:
		c := clone(n)
		c.Conds = slices.Clone(n.Conds)
		return c
	case *Project:
		c := clone(n)
		c.Items = slices.Clone(n.Items)
		return c
	case *Join:
		c := clone(n)
		c.On, c.Keys = slices.Clone(n.On), slices.Clone(n.Keys)
		return c
	case *Aggregate:
		return copyAggregate(n)
	case *Window:
		return copyWindow(n)
	case *Sort:
		c := clone(n)
		c.Keys = slices.Clone(n.Keys)
		return c
	case *With:
		c := clone(n)
		c.CTEs, c.Bodies = slices.Clone(n.CTEs), slices.Clone(n.Bodies)
		return c
	}
	return copyPlain(n)
}

// copyPlain is copyKind for nodes without lists of expressions.
func copyPlain(n Node) Node {
	switch n := n.(type) {
	case *Limit:
		return clone(n)
	case *Distinct:
		return clone(n)
	case *SetOp:
		return clone(n)
	case *CTERead:
		return clone(n)
	case *Recursive:
		return clone(n)
	case *WorkRead:
		return clone(n)
	case *Insert:
		return clone(n)
	case *Update:
		return clone(n)
	case *Delete:
		return clone(n)
	}
	panic("plan: a node that nothing copies")
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
		if r.Lower != nil {
			c.Ranges[i].Lower = clone(r.Lower)
		}
		if r.Upper != nil {
			c.Ranges[i].Upper = clone(r.Upper)
		}
	}
	return c
}

func copyAggregate(n *Aggregate) *Aggregate {
	c := clone(n)
	c.Keys, c.Aggs = slices.Clone(n.Keys), slices.Clone(n.Aggs)
	for i, a := range c.Aggs {
		c.Aggs[i] = clone(a)
		c.Aggs[i].Args, c.Aggs[i].OrderBy = slices.Clone(a.Args), slices.Clone(a.OrderBy)
	}
	return c
}

func copyWindow(n *Window) *Window {
	c := clone(n)
	c.Calls = slices.Clone(n.Calls)
	for i, w := range c.Calls {
		c.Calls[i] = clone(w)
		c.Calls[i].Args = slices.Clone(w.Args)
	}
	return c
}
