package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/types"
)

// foldConstants computes what does not depend on rows, parameters, the clock or subqueries. What fails to compute is left for the
// run, which may never reach it. Conditions that are true vanish; a filter that can pass nothing becomes an empty VALUES.
func (o *optimizer) foldConstants(root Node) Node {
	return bottomUp(root, func(n Node) Node {
		n = mapExprs(n, func(x Expr) Expr { return rewriteExpr(x, o.foldExpr) })
		switch n := n.(type) {
		case *Filter:
			return foldFilter(n)
		case *Join:
			if slices.ContainsFunc(n.On, isTrue) {
				j := fresh(n)
				j.On = slices.DeleteFunc(slices.Clone(n.On), isTrue)
				return j
			}
		}
		return n
	})
}

func foldFilter(f *Filter) Node {
	var conds []Expr
	for _, c := range f.Conds {
		conds = append(conds, Conjuncts(c)...)
	}
	conds = slices.DeleteFunc(conds, isTrue)
	if slices.ContainsFunc(conds, neverTrue) {
		return &Values{Cols: f.Output()}
	}
	return filter(f.Input, conds)
}

// isTrue reports whether a condition is known to hold.
func isTrue(x Expr) bool {
	c, ok := x.(*Const)
	if !ok {
		return false
	}
	truth, known := types.Truth(c.Value)
	return truth && known
}

// neverTrue reports whether a condition is known to be false or NULL.
func neverTrue(x Expr) bool {
	_, ok := x.(*Const)
	return ok && !isTrue(x)
}

// foldExpr folds one expression whose operands have been folded.
func (o *optimizer) foldExpr(x Expr) Expr {
	if l, ok := x.(*Logic); ok {
		return foldLogic(l)
	}
	if o.env.Eval == nil || !isFoldable(x) {
		return x
	}
	v, err := o.env.Eval(x)
	if err != nil {
		return x
	}
	i := *x.Static()
	i.Nullable = v.IsNull()
	return &Const{Info: i, Value: v}
}

// isFoldable reports whether an expression is a deterministic operator over constants alone.
func isFoldable(x Expr) bool {
	switch x := x.(type) {
	case *Const, *Param, *Col, *Clock, *Subquery, *Exists, *InQuery:
		return false
	case *Call:
		if !x.Fn.Deterministic {
			return false
		}
	}
	constant := true
	eachOperand(x, func(slot *Expr) {
		_, ok := (*slot).(*Const)
		constant = constant && ok
	})
	return constant
}

// foldLogic drops operands of AND and OR that decide nothing, and lets one that decides stand for the whole. Subqueries in front
// of it are evaluated all the same: they may fail.
func foldLogic(l *Logic) Expr {
	if l.Op == Xor {
		return l
	}
	decides := l.Op == Or // the truth value that decides
	var args []Expr
	for _, a := range l.Args {
		c, ok := a.(*Const)
		if !ok {
			args = append(args, a)
			continue
		}
		truth, known := types.Truth(c.Value)
		switch {
		case known && truth == decides && slices.ContainsFunc(args, HasSubquery):
			args = append(args, a)
		case known && truth == decides:
			return &Const{Info: Info{Type: types.TypeBoolean, Pos: l.Pos}, Value: types.Bool(decides)}
		case !known:
			args = append(args, a)
		}
	}
	switch {
	case len(args) == 0:
		return &Const{Info: Info{Type: types.TypeBoolean, Pos: l.Pos}, Value: types.Bool(!decides)}
	case len(args) == len(l.Args):
		return l
	case len(args) == 1 && args[0].Static().Type == types.TypeBoolean:
		return args[0]
	}
	c := clone(l)
	c.Args = args
	return c
}

// isDeterministic reports whether an expression gives the same value whenever its columns do: it calls nothing that varies.
func isDeterministic(x Expr) bool {
	ok := true
	walkExpr(x, func(x Expr) bool {
		if c, isCall := x.(*Call); isCall && !c.Fn.Deterministic {
			ok = false
		}
		if subplanOf(x) != nil {
			ok = false
		}
		return ok
	})
	return ok
}
