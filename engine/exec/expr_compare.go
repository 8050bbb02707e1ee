package exec

import (
	"cmp"

	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// accepts tells for which outcomes of a comparison an operator is true: less, equal, greater.
var accepts = [...][3]bool{
	plan.Eq: {false, true, false}, plan.Is: {false, true, false},
	plan.Ne: {true, false, true}, plan.IsNot: {true, false, true},
	plan.Lt: {true, false, false}, plan.Le: {true, true, false},
	plan.Gt: {false, false, true}, plan.Ge: {false, true, true},
}

// outcome maps a comparison's result to a position in accepts.
func outcome(c int) int { return cmp.Compare(c, 0) + 1 }

// orderFunc gives the comparison of two values that are not NULL.
func orderFunc(by plan.Order, l, r *types.Type) types.Comparator {
	if by.Type != nil {
		compare, coll := by.Type.Compare, by.Collation
		return func(a, b types.Value) int { return compare(a, b, coll) }
	}
	switch {
	case l == r && !l.SemanticOrder:
		return types.NewComparator(l, by.Collation)
	case l.Numeric && r.Numeric:
		return types.NewComparator(types.TypeNumeric, nil)
	}
	return types.NewComparator(nil, by.Collation)
}

// compare compiles a comparison to a value.
func (c *compiler) compare(x *plan.Compare) Expr {
	l, r := c.expr(x.L), c.expr(x.R)
	order, accept := orderFunc(x.By, x.L.Static().Type, x.R.Static().Type), accepts[x.Op]
	if x.Op == plan.Is || x.Op == plan.IsNot {
		return nullSafe(l, r, order, x.Op == plan.IsNot)
	}
	return func(ec *Context, row types.Row) (types.Value, error) {
		a, err := l(ec, row)
		if err != nil || a.IsNull() {
			return types.Null, err
		}
		b, err := r(ec, row)
		if err != nil || b.IsNull() {
			return types.Null, err
		}
		return types.Bool(accept[outcome(order(a, b))]), nil
	}
}

// nullSafe is IS and IS NOT.
func nullSafe(l, r Expr, order types.Comparator, not bool) Expr {
	return func(ec *Context, row types.Row) (types.Value, error) {
		a, err := l(ec, row)
		if err != nil {
			return types.Null, err
		}
		b, err := r(ec, row)
		if err != nil {
			return types.Null, err
		}
		equal := a.IsNull() && b.IsNull()
		if !a.IsNull() && !b.IsNull() {
			equal = order(a, b) == 0
		}
		return types.Bool(equal != not), nil
	}
}

// comparePred compiles a comparison to a condition, with short cuts for a column against a constant.
func (c *compiler) comparePred(x *plan.Compare) Pred {
	if x.Op == plan.Is || x.Op == plan.IsNot {
		return truthOf(c.compare(x))
	}
	if p := c.columnPred(x); p != nil {
		return p
	}
	l, r := c.expr(x.L), c.expr(x.R)
	order, accept := orderFunc(x.By, x.L.Static().Type, x.R.Static().Type), accepts[x.Op]
	return func(ec *Context, row types.Row) (bool, error) {
		a, err := l(ec, row)
		if err != nil || a.IsNull() {
			return false, err
		}
		b, err := r(ec, row)
		if err != nil || b.IsNull() {
			return false, err
		}
		return accept[outcome(order(a, b))], nil
	}
}

func truthOf(e Expr) Pred {
	return func(ec *Context, row types.Row) (bool, error) {
		v, err := e(ec, row)
		return v.Bool(), err
	}
}

// columnPred compiles `column op constant` over the row at hand; nil for any other comparison.
func (c *compiler) columnPred(x *plan.Compare) Pred {
	col, isCol := x.L.(*plan.Col)
	k, isConst := x.R.(*plan.Const)
	op := x.Op
	if !isCol || !isConst {
		col, isCol = x.R.(*plan.Col)
		k, isConst = x.L.(*plan.Const)
		op = op.Mirror()
	}
	if !isCol || !isConst || k.Value.IsNull() {
		return nil
	}
	at, inRow := c.at[col.ID]
	if !inRow {
		return nil
	}
	accept := accepts[op]
	order := orderFunc(x.By, col.Type, k.Type)
	if i, isInt := k.Value.Int64(); isInt && col.Type.Numeric && x.By.Type == nil {
		return intPred(at, i, k.Value, accept, order)
	}
	v := k.Value
	return func(_ *Context, row types.Row) (bool, error) {
		a := row[at]
		return !a.IsNull() && accept[outcome(order(a, v))], nil
	}
}

// intPred compares a numeric column with an integer.
func intPred(at int, k int64, kv types.Value, accept [3]bool, order types.Comparator) Pred {
	return func(_ *Context, row types.Row) (bool, error) {
		a := row[at]
		if i, ok := a.Int64(); ok {
			return accept[cmp.Compare(i, k)+1], nil
		}
		return !a.IsNull() && accept[outcome(order(a, kv))], nil
	}
}

// matcher compares a probe with one member, as IN, BETWEEN and CASE do. Neither is NULL.
type matcher struct {
	cast  func(types.Value) types.Value // of the probe; nil for none
	order types.Comparator
}

func newMatcher(probe, member plan.Expr, by plan.Match) matcher {
	m := matcher{}
	t := probe.Static().Type
	if by.CastProbe != nil {
		m.cast = types.Caster(t, by.CastProbe)
		t = by.CastProbe
	}
	m.order = orderFunc(by.Order, t, member.Static().Type)
	return m
}

// compare gives the order of probe and member; known is false when the probe converts to NULL.
func (m *matcher) compare(probe, member types.Value) (c int, known bool) {
	if m.cast != nil {
		if probe = m.cast(probe); probe.IsNull() {
			return 0, false
		}
	}
	return m.order(probe, member), true
}

// between compiles x [not] between lo and hi: two comparisons joined by a three-valued AND.
func (c *compiler) between(e *plan.Between) Expr {
	x, lo, hi := c.expr(e.X), c.expr(e.Lo), c.expr(e.Hi)
	low, high, negate := newMatcher(e.X, e.Lo, e.ByLo), newMatcher(e.X, e.Hi, e.ByHi), e.Not
	return func(ec *Context, row types.Row) (types.Value, error) {
		v, err := x(ec, row)
		if err != nil {
			return types.Null, err
		}
		a, err := lo(ec, row)
		if err != nil {
			return types.Null, err
		}
		b, err := hi(ec, row)
		if err != nil {
			return types.Null, err
		}
		above, knownLow := within(&low, v, a, plan.Ge)
		below, knownHigh := within(&high, v, b, plan.Le)
		switch {
		case knownLow && !above || knownHigh && !below:
			return types.Bool(negate), nil
		case knownLow && knownHigh:
			return types.Bool(!negate), nil
		}
		return types.Null, nil
	}
}

func within(m *matcher, v, bound types.Value, op plan.CompareOp) (holds, known bool) {
	if v.IsNull() || bound.IsNull() {
		return false, false
	}
	order, known := m.compare(v, bound)
	return accepts[op][outcome(order)], known
}
