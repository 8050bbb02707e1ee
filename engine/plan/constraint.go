package plan

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// candidate is a predicate "column op value" read out of one of a scan's filters, with the expressions that make its values.
type candidate struct {
	vtab.Constraint
	filter int // position in Scan.Filters
	values []Expr
	ranges []Range
}

// passes is the part of the rows that a constraint lets through, 0 for unknown. What is known to let nothing through counts as next to nothing.
func (k *candidate) passes(f *catalog.ColumnFacts) float64 {
	if f == nil {
		return 0
	}
	part, known := 0.0, true
	switch k.Op {
	case vtab.OpIsNull:
		part = f.Null()
	case vtab.OpIsNotNull:
		part = f.Present()
	case vtab.OpEq, vtab.OpIn:
		for _, x := range k.values {
			p, _ := factsPass(f, Eq, x)
			part += p
		}
		known = len(k.values) > 0
	case vtab.OpLt, vtab.OpLe, vtab.OpGt, vtab.OpGe:
		part, known = factsPass(f, compareOf[k.Op], k.values[0])
	default:
		known = false
	}
	if !known {
		return 0
	}
	return min(max(part, 1e-9), 1)
}

var compareOf = map[vtab.Op]CompareOp{vtab.OpLt: Lt, vtab.OpLe: Le, vtab.OpGt: Gt, vtab.OpGe: Ge}

// scanConstraints reads the filters of a scan as constraints on its columns. A filter that says more than its constraints, or
// none, gives none.
type scanConstraints struct {
	cols []Column
	own  ColSet
	list []candidate
}

func newConstraints(s *Scan) *scanConstraints {
	c := &scanConstraints{cols: s.Cols, own: ColSet{}}
	c.own.AddColumns(s.Cols)
	for i, f := range s.Filters {
		c.read(i, f)
	}
	return c
}

func (c *scanConstraints) read(filter int, x Expr) {
	switch x := x.(type) {
	case *Compare:
		c.readCompare(filter, x)
	case *Test:
		if col := c.column(x.X); col >= 0 && x.Op == ast.IsNull {
			op := vtab.OpIsNull
			if x.Not {
				op = vtab.OpIsNotNull
			}
			c.add(filter, candidate{Constraint: vtab.Constraint{Column: col, Op: op, Collation: types.Binary}})
		}
	case *Between:
		c.readBetween(filter, x)
	case *In:
		c.readIn(filter, x)
	case *Logic:
		if x.Op == Or {
			c.readOr(filter, x)
		}
	}
}

func (c *scanConstraints) add(filter int, k candidate) {
	k.filter = filter
	c.list = append(c.list, k)
}

// column gives the position of the scan's column that an expression is, -1 when it is none.
func (c *scanConstraints) column(x Expr) int {
	col, ok := x.(*Col)
	if !ok {
		return -1
	}
	return findColumn(c.cols, col.ID)
}

// isValue reports whether an expression can be computed before the scan begins: it reads none of its columns and does not vary.
func (c *scanConstraints) isValue(x Expr) bool {
	if ExprColumns(x).Meets(c.own) {
		return false
	}
	varies := false
	walkExpr(x, func(x Expr) bool {
		call, isCall := x.(*Call)
		varies = varies || isCall && !call.Fn.Deterministic
		return !varies
	})
	return !varies
}

// ordered reports whether a comparison orders the column's values as the column itself does, collation aside, which is the
// module's to judge.
func (c *scanConstraints) ordered(col int, by Order) bool {
	t := c.cols[col].Type
	if t.SemanticOrder {
		return by.Type == t
	}
	return by.Type == nil
}

// single reads "column op value"; ok is false for any other comparison.
func (c *scanConstraints) single(x *Compare) (k candidate, ok bool) {
	op, value := x.Op, x.R
	col := c.column(x.L)
	if col < 0 || !c.isValue(value) {
		col, op, value = c.column(x.R), op.Mirror(), x.L
	}
	if k, isConst := value.(*Const); isConst && op == Is && !k.Value.IsNull() {
		op = Eq
	}
	vop, isSeek := seekOps[op]
	if col < 0 || !isSeek || !c.isValue(value) || !c.ordered(col, x.By) {
		return candidate{}, false
	}
	return c.valued(col, vop, value, x.By.Collation), true
}

var seekOps = map[CompareOp]vtab.Op{Eq: vtab.OpEq, Lt: vtab.OpLt, Le: vtab.OpLe, Gt: vtab.OpGt, Ge: vtab.OpGe}

func (c *scanConstraints) valued(col int, op vtab.Op, value Expr, coll *types.Collation) candidate {
	k := candidate{Constraint: vtab.Constraint{Column: col, Op: op, Collation: coll}, values: []Expr{value}}
	if v, ok := value.(*Const); ok {
		k.Value, k.Known = v.Value, true
	}
	return k
}

func (c *scanConstraints) readCompare(filter int, x *Compare) {
	if k, ok := c.single(x); ok {
		c.add(filter, k)
	}
}

func (c *scanConstraints) readBetween(filter int, x *Between) {
	col := c.column(x.X)
	plain := func(m Match) bool { return m.CastProbe == nil && c.ordered(col, m.Order) }
	if col < 0 || x.Not || !c.isValue(x.Lo) || !c.isValue(x.Hi) || !plain(x.ByLo) || !plain(x.ByHi) {
		return
	}
	c.add(filter, c.valued(col, vtab.OpGe, x.Lo, x.ByLo.Collation))
	c.add(filter, c.valued(col, vtab.OpLe, x.Hi, x.ByHi.Collation))
}

func (c *scanConstraints) readIn(filter int, x *In) {
	if k, ok := c.members(x); ok {
		c.add(filter, k)
	}
}

// members reads "column in (values)".
func (c *scanConstraints) members(x *In) (k candidate, ok bool) {
	if len(x.X) != 1 || x.Not || len(x.Items) == 0 {
		return candidate{}, false
	}
	col := c.column(x.X[0])
	if col < 0 {
		return candidate{}, false
	}
	for i, item := range x.Items {
		by := x.By[i][0]
		if by.CastProbe != nil || !c.ordered(col, by.Order) || !c.isValue(item[0]) {
			return candidate{}, false
		}
		k.values = append(k.values, item[0])
	}
	k.Constraint = vtab.Constraint{Column: col, Op: vtab.OpIn, Collation: x.By[0][0].Collation, Count: len(x.Items)}
	return k, true
}

// readOr reads a disjunction over one column: of equalities, as IN; of ranges too, as a set of ranges.
func (c *scanConstraints) readOr(filter int, x *Logic) {
	var all candidate
	equal := true
	for i, arm := range x.Args {
		k, ok := c.arm(arm)
		if !ok || i > 0 && (k.Column != all.Column || k.Collation != all.Collation) {
			return
		}
		all.Column, all.Collation = k.Column, k.Collation
		equal = equal && k.values != nil
		all.values = append(all.values, k.values...)
		all.ranges = append(all.ranges, k.ranges...)
	}
	if equal {
		all.Op, all.Count, all.ranges = vtab.OpIn, len(all.values), nil
	} else {
		all.Op, all.values = vtab.OpOrRange, nil
	}
	c.add(filter, all)
}

// arm reads one side of a disjunction as a set of ranges; values is set too when they are single values.
func (c *scanConstraints) arm(x Expr) (k candidate, ok bool) {
	switch x := x.(type) {
	case *Compare:
		if k, ok = c.single(x); !ok {
			return k, false
		}
		k.ranges = []Range{rangeOf(k.Op, k.values[0])}
		if k.Op != vtab.OpEq {
			k.values = nil
		}
		return k, true
	case *In:
		if k, ok = c.members(x); ok {
			for _, v := range k.values {
				k.ranges = append(k.ranges, rangeOf(vtab.OpEq, v))
			}
		}
		return k, ok
	case *Between:
		sub := scanConstraints{cols: c.cols, own: c.own}
		sub.readBetween(0, x)
		if len(sub.list) == 2 && sub.list[0].Collation == sub.list[1].Collation {
			k = sub.list[0]
			k.ranges = []Range{{&Bound{x.Lo, true}, &Bound{x.Hi, true}}}
			k.values = nil
			return k, true
		}
	}
	return candidate{}, false
}

// rangeOf gives the values for which "column op x" holds.
func rangeOf(op vtab.Op, x Expr) Range {
	switch op {
	case vtab.OpLt:
		return Range{Upper: &Bound{x, false}}
	case vtab.OpLe:
		return Range{Upper: &Bound{x, true}}
	case vtab.OpGt:
		return Range{Lower: &Bound{x, false}}
	case vtab.OpGe:
		return Range{Lower: &Bound{x, true}}
	}
	return Range{&Bound{x, true}, &Bound{x, true}}
}
