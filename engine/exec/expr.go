package exec

import (
	"errors"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// Expr is a compiled expression. It reads the row by position and keeps nothing of it but what the value shares. It is safe for
// concurrent use with different Contexts.
type Expr func(ec *Context, row types.Row) (types.Value, error)

// Pred is a compiled condition: whether it is true. False and NULL are alike to it.
type Pred func(ec *Context, row types.Row) (bool, error)

// compiler compiles expressions over rows of one layout.
type compiler struct {
	b  *builder
	at map[plan.ColID]int
}

// over gives a compiler for rows of the given columns. Of a column that occurs twice the first counts.
func (b *builder) over(cols []plan.Column) *compiler {
	c := &compiler{b: b, at: make(map[plan.ColID]int, len(cols))}
	for i, col := range cols {
		if _, ok := c.at[col.ID]; !ok {
			c.at[col.ID] = i
		}
	}
	return c
}

func (c *compiler) exprs(list []plan.Expr) []Expr {
	out := make([]Expr, len(list))
	for i, x := range list {
		out[i] = c.expr(x)
	}
	return out
}

// optional compiles an expression that may be absent.
func (c *compiler) optional(x plan.Expr) Expr {
	if x == nil {
		return nil
	}
	return c.expr(x)
}

// expr compiles an expression.
func (c *compiler) expr(x plan.Expr) Expr {
	switch x := x.(type) {
	case *plan.Const:
		v := x.Value
		return func(*Context, types.Row) (types.Value, error) { return v, nil }
	case *plan.Col:
		return c.column(x)
	case *plan.Param:
		return c.param(x)
	case *plan.Clock:
		return clock(x.Word)
	case *plan.Collate:
		return c.expr(x.X)
	case *plan.Cast:
		return c.cast(x)
	case *plan.Sign:
		return c.sign(x)
	case *plan.BitNot:
		return unary(c.expr(x.X), types.BitNot)
	case *plan.Arith:
		return c.arith(x)
	case *plan.Bits:
		return limited(c.expr(x.L), c.expr(x.R), bitOps[x.Op], c.b.located(x.Pos))
	case *plan.Concat:
		return c.concat(x)
	case *plan.Call:
		return c.call(x)
	case *plan.Coalesce:
		return coalesce(c.exprs(x.Args))
	case *plan.Iif:
		return c.iif(x)
	case *plan.Case:
		return c.caseExpr(x)
	case *plan.Subquery:
		return c.scalarSubquery(x)
	}
	return c.condition(x)
}

// condition compiles the expressions that give truth values.
func (c *compiler) condition(x plan.Expr) Expr {
	switch x := x.(type) {
	case *plan.Compare:
		return c.compare(x)
	case *plan.Logic:
		return c.logic(x)
	case *plan.Not:
		return not(c.expr(x.X))
	case *plan.Test:
		return test(x, c.expr(x.X))
	case *plan.Between:
		return c.between(x)
	case *plan.In:
		return c.in(x)
	case *plan.InQuery:
		return c.inQuery(x)
	case *plan.Exists:
		return c.exists(x)
	case *plan.Like:
		return c.like(x)
	}
	c.b.fail(types.Errorf(types.INTERNAL, "exec: an expression that nothing compiles: %T", x))
	return func(*Context, types.Row) (types.Value, error) { return types.Null, nil }
}

// column reads a column of the row, or of an enclosing query.
func (c *compiler) column(x *plan.Col) Expr {
	if i, ok := c.at[x.ID]; ok {
		return func(_ *Context, row types.Row) (types.Value, error) { return row[i], nil }
	}
	slot := c.b.outerSlot(x.ID)
	return func(ec *Context, _ types.Row) (types.Value, error) { return ec.outer[slot], nil }
}

// param reads a bind parameter; one that is not bound fails when it is read.
func (c *compiler) param(x *plan.Param) Expr {
	i, p, at := x.Index, c.b.plan.Params[x.Index], c.b.located(x.Pos)
	return func(ec *Context, _ types.Row) (types.Value, error) {
		if b := &ec.param[i]; b.bound {
			return b.value, nil
		}
		if p.Name != "" {
			return types.Null, at(types.Errorf(types.NOTFOUND, "Parameter with name '%s' not found.", p.Name))
		}
		return types.Null, at(types.Errorf(types.RANGE, "Parameter index %d is out of bounds.", p.Index))
	}
}

// located gives a function that adds a place to errors that have none. The place is worked out when an error occurs.
func (b *builder) located(at ast.Pos) func(error) error {
	src := b.plan.Source
	return func(err error) error {
		var e *types.Error
		if !errors.As(err, &e) || e.Line > 0 {
			return err
		}
		line, column := src.Position(at)
		if line == 0 {
			return err
		}
		placed := *e
		placed.Line, placed.Column = line, column
		return &placed
	}
}

// clock gives the value of a clock word: the start of the statement in UTC.
func clock(w ast.ClockWord) Expr {
	return func(ec *Context, _ types.Row) (types.Value, error) {
		now := ec.call.Now.UTC()
		i := types.InstantFromUnixMilli(now.UnixMilli() / 1000 * 1000)
		var b []byte
		switch w {
		case ast.CurrentDate:
			b = types.AppendDate(b, i.Day)
		case ast.CurrentTime:
			b = types.AppendTime(b, i.Nano)
		default:
			b = types.AppendDateTime(b, i)
		}
		return types.TextFromBytes(b), nil
	}
}

// unary applies a function that cannot fail to a value.
func unary(x Expr, f func(types.Value) types.Value) Expr {
	return func(ec *Context, row types.Row) (types.Value, error) {
		v, err := x(ec, row)
		if err != nil {
			return types.Null, err
		}
		return f(v), nil
	}
}

// cast compiles CAST, which never fails but for a text that spells a larger integer than there is.
func (c *compiler) cast(x *plan.Cast) Expr {
	operand, f := c.expr(x.X), types.Caster(x.X.Static().Type, x.Type)
	if x.Type != types.TypeInteger && x.Type != types.TypeNumeric {
		return unary(operand, f)
	}
	at := c.b.located(x.Pos)
	return func(ec *Context, row types.Row) (types.Value, error) {
		v, err := operand(ec, row)
		if err != nil {
			return types.Null, err
		}
		if err := ec.checkOperand(v); err != nil {
			return types.Null, at(err)
		}
		return f(v), nil
	}
}

// binary applies a function that cannot fail to two values.
func binary(l, r Expr, f func(a, b types.Value) types.Value) Expr {
	return func(ec *Context, row types.Row) (types.Value, error) {
		a, err := l(ec, row)
		if err != nil {
			return types.Null, err
		}
		b, err := r(ec, row)
		if err != nil {
			return types.Null, err
		}
		return f(a, b), nil
	}
}

// allPreds compiles conditions to be tested together; nil for none.
func (c *compiler) allPreds(conds []plan.Expr) Pred {
	preds := make([]Pred, len(conds))
	for i, x := range conds {
		preds[i] = c.pred(x)
	}
	switch len(preds) {
	case 0:
		return nil
	case 1:
		return preds[0]
	}
	return func(ec *Context, row types.Row) (bool, error) {
		for _, p := range preds {
			if ok, err := p(ec, row); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	}
}

// pred compiles an expression as a condition. Comparisons and connectives need no value in between.
func (c *compiler) pred(x plan.Expr) Pred {
	switch x := x.(type) {
	case *plan.Compare:
		return c.comparePred(x)
	case *plan.Logic:
		if x.Op != plan.Xor {
			return c.logicPred(x)
		}
	}
	e := c.expr(x)
	return func(ec *Context, row types.Row) (bool, error) {
		v, err := e(ec, row)
		if err != nil {
			return false, err
		}
		truth, known := types.Truth(v)
		return truth && known, nil
	}
}
