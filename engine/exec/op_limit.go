package exec

import (
	"math"

	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// limitRecipe is a compiled LIMIT and OFFSET.
type limitRecipe struct {
	count, skip Expr
	isConstant  bool // every run has the same numbers
}

// limits compiles the expressions of a limit; nil for none.
func (b *builder) limits(n *plan.Limit) *limitRecipe {
	if n == nil {
		return nil
	}
	return b.limitRecipe(n.Count, n.Offset)
}

func (b *builder) limitRecipe(count, offset plan.Expr) *limitRecipe {
	c := b.over(nil)
	return &limitRecipe{c.optional(count), c.optional(offset), isConstant(count) && isConstant(offset)}
}

func isConstant(x plan.Expr) bool {
	_, ok := x.(*plan.Const)
	return ok || x == nil
}

// eval gives the number of rows to pass and to skip (docs/reference/language.md): a LIMIT that is NULL, negative or no number passes none, a
// fraction counts up; an OFFSET that is NULL or negative skips none. count is MaxInt64 without LIMIT.
func (l *limitRecipe) eval(ec *Context) (count, skip int64, err error) {
	count = math.MaxInt64
	if l.count != nil {
		v, err := l.count(ec, nil)
		if err != nil {
			return 0, 0, err
		}
		count = rowCount(v)
	}
	if l.skip != nil {
		v, err := l.skip(ec, nil)
		if err != nil {
			return 0, 0, err
		}
		skip = rowCount(v)
	}
	return count, skip, nil
}

// rowCount reads a number of rows: text as a number, a fraction as the next whole number, what is none or negative as 0.
func rowCount(v types.Value) int64 {
	n := types.Plus(v)
	if n.IsNull() || types.CompareNumbers(n, types.Int(0)) <= 0 {
		return 0
	}
	if n.Kind() == types.KindReal {
		f := math.Ceil(n.Float())
		if f >= math.MaxInt64 {
			return math.MaxInt64
		}
		return int64(f)
	}
	if i, ok := n.Int64(); ok {
		return i
	}
	return math.MaxInt64
}

func saturatingAdd(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func (b *builder) limit(n *plan.Limit) recipe {
	in, l := b.node(n.Input), b.limits(n)
	return func() Operator { return &limitOp{in: in(), limits: l} }
}

// limitOp skips and passes rows. It holds none.
type limitOp struct {
	in         Operator
	limits     *limitRecipe
	left, skip int64
}

// Open reads the numbers; a limit of no rows does not open its input.
func (o *limitOp) Open(ec *Context) (err error) {
	if o.left, o.skip, err = o.limits.eval(ec); err != nil || o.left == 0 {
		return err
	}
	return o.in.Open(ec)
}

// Next passes what is left of the input's batch behind the skipped rows.
func (o *limitOp) Next(b *Batch) error {
	b.Rows = nil
	for o.left > 0 {
		if err := o.in.Next(b); err != nil || len(b.Rows) == 0 {
			return err
		}
		n := min(int64(len(b.Rows)), o.skip)
		o.skip -= n
		if b.Rows = b.Rows[n:]; len(b.Rows) == 0 {
			continue
		}
		b.Rows = b.Rows[:min(int64(len(b.Rows)), o.left)]
		o.left -= int64(len(b.Rows))
		return nil
	}
	return nil
}

// Close closes the input.
func (o *limitOp) Close() error { return o.in.Close() }
