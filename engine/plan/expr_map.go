package plan

import "slices"

// eachOperand shows f the slots of an expression's direct operands in order of evaluation, plans of subqueries left out. It is
// the one list of what operands an expression has. f must not write unless the expression is a copy nobody else holds.
func eachOperand(e Expr, f func(slot *Expr)) {
	switch e := e.(type) {
	case *Const, *Param, *Col, *Clock, *Subquery, *Exists:
	case *Sign:
		f(&e.X)
	case *BitNot:
		f(&e.X)
	case *Not:
		f(&e.X)
	case *Test:
		f(&e.X)
	case *Cast:
		f(&e.X)
	case *Collate:
		f(&e.X)
	case *Arith:
		f(&e.L)
		f(&e.R)
	case *Bits:
		f(&e.L)
		f(&e.R)
	case *Concat:
		f(&e.L)
		f(&e.R)
	case *Compare:
		f(&e.L)
		f(&e.R)
	case *Logic:
		eachOf(e.Args, f)
	case *Coalesce:
		eachOf(e.Args, f)
	case *Call:
		eachOf(e.Args, f)
	default:
		eachBranch(e, f)
	}
}

// eachBranch is eachOperand for expressions with operands of several kinds.
func eachBranch(e Expr, f func(slot *Expr)) {
	switch e := e.(type) {
	case *Between:
		f(&e.X)
		f(&e.Lo)
		f(&e.Hi)
	case *In:
		eachOf(e.X, f)
		for _, item := range e.Items {
			eachOf(item, f)
		}
	case *InQuery:
		eachOf(e.X, f)
	case *Like:
		f(&e.X)
		f(&e.P)
		if e.Escape != nil {
			f(&e.Escape)
		}
	case *Iif:
		f(&e.Cond)
		f(&e.Then)
		f(&e.Else)
	case *Case:
		if e.Operand != nil {
			f(&e.Operand)
		}
		for i := range e.Whens {
			f(&e.Whens[i].Cond)
			f(&e.Whens[i].Then)
		}
		if e.Else != nil {
			f(&e.Else)
		}
	default:
		panic("plan: an expression without a list of operands")
	}
}

func eachOf(list []Expr, f func(slot *Expr)) {
	for i := range list {
		f(&list[i])
	}
}

// copyExpr copies a node with its lists of operands; the operands are shared.
func copyExpr(e Expr) Expr {
	switch e := e.(type) {
	case *Sign:
		return clone(e)
	case *BitNot:
		return clone(e)
	case *Not:
		return clone(e)
	case *Test:
		return clone(e)
	case *Cast:
		return clone(e)
	case *Collate:
		return clone(e)
	case *Arith:
		return clone(e)
	case *Bits:
		return clone(e)
	case *Concat:
		return clone(e)
	case *Compare:
		return clone(e)
	case *Between:
		return clone(e)
	case *Like:
		return clone(e)
	case *Iif:
		return clone(e)
	case *Col:
		return clone(e)
	}
	return copyList(e)
}

// copyList is copyExpr for nodes with lists of operands.
func copyList(e Expr) Expr {
	switch e := e.(type) {
	case *Logic:
		c := clone(e)
		c.Args = slices.Clone(e.Args)
		return c
	case *Coalesce:
		c := clone(e)
		c.Args = slices.Clone(e.Args)
		return c
	case *Call:
		c := clone(e)
		c.Args = slices.Clone(e.Args)
		return c
	case *InQuery:
		c := clone(e)
		c.X = slices.Clone(e.X)
		return c
	case *Case:
		c := clone(e)
		c.Whens = slices.Clone(e.Whens)
		return c
	case *In:
		c := clone(e)
		c.X, c.Items = slices.Clone(e.X), slices.Clone(e.Items)
		for i := range c.Items {
			c.Items[i] = slices.Clone(c.Items[i])
		}
		return c
	}
	return e // the rest has no operands
}

func clone[T any](p *T) *T {
	c := *p
	return &c
}

// mapExpr applies f to the direct operands of e. It gives e itself when all answers are the operands that were asked about, else
// a copy that holds the answers.
func mapExpr(e Expr, f func(Expr) Expr) Expr {
	var answers []Expr
	changed := false
	eachOperand(e, func(slot *Expr) {
		x := f(*slot)
		changed = changed || x != *slot
		answers = append(answers, x)
	})
	if !changed {
		return e
	}
	c := copyExpr(e)
	i := 0
	eachOperand(c, func(slot *Expr) {
		*slot = answers[i]
		i++
	})
	return c
}

// rewriteExpr gives the expression in which every part x has become f(x), operands first. Plans of subqueries are not entered.
func rewriteExpr(e Expr, f func(Expr) Expr) Expr {
	var visit func(Expr) Expr
	visit = func(x Expr) Expr { return f(mapExpr(x, visit)) }
	return visit(e)
}

// walkExpr visits e and its operands, parents first, and leaves out the operands of what f answers false for. Plans of
// subqueries are not entered.
func walkExpr(e Expr, f func(Expr) bool) {
	if f(e) {
		eachOperand(e, func(slot *Expr) { walkExpr(*slot, f) })
	}
}

// subplanOf gives the plan of an expression that is a subquery, nil for any other.
func subplanOf(e Expr) *Subplan {
	switch e := e.(type) {
	case *Subquery:
		return e.Plan
	case *Exists:
		return e.Plan
	case *InQuery:
		return e.Plan
	}
	return nil
}

// withSubplan copies an expression that is a subquery, with another plan.
func withSubplan(e Expr, s *Subplan) Expr {
	switch e := e.(type) {
	case *Subquery:
		c := clone(e)
		c.Plan = s
		return c
	case *Exists:
		c := clone(e)
		c.Plan = s
		return c
	case *InQuery:
		c := clone(e)
		c.Plan = s
		return c
	}
	return e
}

// HasSubquery reports whether the expression holds a subquery.
func HasSubquery(e Expr) bool {
	found := false
	walkExpr(e, func(x Expr) bool {
		found = found || subplanOf(x) != nil
		return !found
	})
	return found
}

// Conjuncts splits a condition at its ANDs; nil gives none.
func Conjuncts(e Expr) []Expr {
	if e == nil {
		return nil
	}
	l, ok := e.(*Logic)
	if !ok || l.Op != And {
		return []Expr{e}
	}
	var out []Expr
	for _, x := range l.Args {
		out = append(out, Conjuncts(x)...)
	}
	return out
}
