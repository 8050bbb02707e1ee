package exec

import (
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// hashedItems is the number of constants from which on a list is looked up by hash.
const hashedItems = 8

// in compiles x [not] in (list): true on any equal member, else NULL if anything compared was NULL, else false. An empty list is
// false, NULL for a NULL probe.
func (c *compiler) in(x *plan.In) Expr {
	if e := c.inHashed(x); e != nil {
		return e
	}
	probe := c.exprs(x.X)
	items := make([][]Expr, len(x.Items))
	by := make([][]matcher, len(x.Items))
	for i, item := range x.Items {
		items[i] = c.exprs(item)
		by[i] = newMatchers(x.X, item, x.By[i])
	}
	negate := x.Not
	return func(ec *Context, row types.Row) (types.Value, error) {
		base := len(ec.stack)
		defer func() { ec.stack = ec.stack[:base] }()
		if err := pushAll(ec, row, probe); err != nil {
			return types.Null, err
		}
		width := len(probe)
		unknown := (width == 1 || len(items) == 0) && hasNull(ec.stack[base:base+width])
		for i := range items {
			if err := pushAll(ec, row, items[i]); err != nil {
				return types.Null, err
			}
			values := ec.stack[base:]
			equal, known := equalTuples(by[i], values[:width], values[width:])
			ec.stack = ec.stack[:base+width]
			if known && equal {
				return types.Bool(!negate), nil
			}
			unknown = unknown || !known
		}
		if unknown {
			return types.Null, nil
		}
		return types.Bool(negate), nil
	}
}

func newMatchers(probe, member []plan.Expr, by []plan.Match) []matcher {
	ms := make([]matcher, len(by))
	for i := range by {
		ms[i] = newMatcher(probe[i], member[i], by[i])
	}
	return ms
}

// pushAll evaluates expressions onto the context's stack.
func pushAll(ec *Context, row types.Row, list []Expr) error {
	for _, x := range list {
		v, err := x(ec, row)
		if err != nil {
			return err
		}
		ec.stack = append(ec.stack, v)
	}
	return nil
}

func hasNull(values []types.Value) bool {
	for _, v := range values {
		if v.IsNull() {
			return true
		}
	}
	return false
}

// equalTuples compares a probe with a member, member by member, joined by a three-valued AND.
func equalTuples(by []matcher, probe, member []types.Value) (equal, known bool) {
	known = true
	for i := range by {
		if probe[i].IsNull() || member[i].IsNull() {
			known = false
			continue
		}
		order, ok := by[i].compare(probe[i], member[i])
		if ok && order != 0 {
			return false, true
		}
		known = known && ok
	}
	return known, known
}

// inHashed compiles a lookup of one value among many constants that all compare alike; nil when the list is none of the kind.
func (c *compiler) inHashed(x *plan.In) Expr {
	if len(x.X) != 1 || len(x.Items) < hashedItems {
		return nil
	}
	by := x.By[0][0]
	var values []types.Value
	null := false
	for i, item := range x.Items {
		k, ok := item[0].(*plan.Const)
		if !ok || x.By[i][0] != by {
			return nil
		}
		null = null || k.Value.IsNull()
		values = append(values, k.Value)
	}
	t := x.X[0].Static().Type
	if by.Type != nil && by.Type != t {
		return nil
	}
	part, err := types.NewKeyPart(by.KeyType(), by.Collation, false)
	if err != nil {
		return nil
	}
	set := map[string]struct{}{}
	for _, v := range values {
		key, err := part.Append(nil, v)
		if err != nil {
			return nil
		}
		if !v.IsNull() {
			set[string(key)] = struct{}{}
		}
	}
	return hashLookup(c.expr(x.X[0]), castOrNil(t, by.CastProbe), part, set, null, x.Not)
}

// castOrNil gives the cast of a probe, nil for none.
func castOrNil(from, to *types.Type) func(types.Value) types.Value {
	if to == nil {
		return nil
	}
	return types.Caster(from, to)
}

// hashLookup tests whether a value is in a set of keys; null tells that a member was NULL.
func hashLookup(x Expr, cast func(types.Value) types.Value, part types.KeyPart, set map[string]struct{}, null, negate bool) Expr {
	return func(ec *Context, row types.Row) (types.Value, error) {
		v, err := x(ec, row)
		if err != nil {
			return types.Null, err
		}
		if cast != nil {
			v = cast(v)
		}
		if v.IsNull() {
			return types.Null, nil
		}
		var memory [64]byte
		key, err := part.Append(memory[:0], v)
		if err != nil {
			return types.Null, err
		}
		if _, ok := set[string(key)]; ok {
			return types.Bool(!negate), nil
		}
		if null {
			return types.Null, nil
		}
		return types.Bool(negate), nil
	}
}
