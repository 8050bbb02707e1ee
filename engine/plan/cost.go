package plan

import (
	"math"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// This file is the cost model. Costs are in rows read.

// unknownRows stands for a table of which nothing is known, and for a smaller one: a plan may outlive the emptiness in which it was
// made, and on few rows a seek costs nothing.
const unknownRows = 1000

// worthSwapping is the work from which on the order of FROM gives way to a cheaper one, and the number of right rows from which on a
// hash join remembers the left ones if those are far fewer. Below, the order of the left side is kept for least surprise.
const worthSwapping = 10_000

// worthReordering is the part of the cost in the order of FROM that another order must stay under.
const worthReordering = 0.5

// selectivity estimates the part of rows that conditions pass: by statistics where there are some, else it is a guess.
func selectivity(conds []Expr) float64 {
	part := 1.0
	for _, x := range conds {
		part *= passes(x)
	}
	return part
}

func passes(x Expr) float64 {
	switch x := x.(type) {
	case *Compare:
		if part, known := comparePasses(x); known {
			return part
		}
		if x.Op == Eq || x.Op == Is {
			return 0.1
		}
	case *Between:
		if part, known := betweenPasses(x); known {
			return part
		}
	case *Test:
		if c, ok := x.X.(*Col); ok && c.Facts != nil && x.Op == ast.IsNull {
			return negated(c.Facts.Null(), x.Not)
		}
	case *In:
		if part, known := inPasses(x); known {
			return part
		}
	case *Not:
		return 1 - passes(x.X)
	case *Logic:
		return logicPasses(x)
	}
	return 0.4
}

func negated(part float64, not bool) float64 {
	if not {
		return 1 - part
	}
	return part
}

// logicPasses takes the operands to be independent.
func logicPasses(x *Logic) float64 {
	switch x.Op {
	case And:
		return selectivity(x.Args)
	case Or:
		fails := 1.0
		for _, a := range x.Args {
			fails *= 1 - passes(a)
		}
		return 1 - fails
	}
	return 0.4
}

// comparePasses goes by the statistics of the column that is compared.
func comparePasses(x *Compare) (part float64, known bool) {
	col, op, value := x.L, x.Op, x.R
	if c, ok := col.(*Col); !ok || c.Facts == nil {
		col, op, value = x.R, x.Op.Mirror(), x.L
	}
	c, ok := col.(*Col)
	if !ok || c.Facts == nil {
		return 0, false
	}
	if other, ok := value.(*Col); ok && other.Facts != nil && op == Eq {
		return math.Min(c.Facts.AnyEqual(), other.Facts.AnyEqual()), true
	}
	return factsPass(c.Facts, op, value)
}

func factsPass(f *catalog.ColumnFacts, op CompareOp, value Expr) (part float64, known bool) {
	k, isConst := value.(*Const)
	switch {
	case !isConst && (op == Eq || op == Is):
		return f.AnyEqual(), true
	case !isConst || k.Value.IsNull():
		return 0, false
	}
	switch op {
	case Eq, Is:
		return f.Equal(k.Value), true
	case Ne:
		return f.Present() - f.Equal(k.Value), true
	case Lt:
		return f.Below(k.Value), true
	case Le:
		return f.Below(k.Value) + f.Equal(k.Value), true
	case Gt:
		return math.Max(0, f.Present()-f.Below(k.Value)-f.Equal(k.Value)), true
	case Ge:
		return math.Max(0, f.Present()-f.Below(k.Value)), true
	}
	return 0, false
}

func betweenPasses(x *Between) (part float64, known bool) {
	c, ok := x.X.(*Col)
	if !ok || c.Facts == nil {
		return 0, false
	}
	above, lo := factsPass(c.Facts, Ge, x.Lo)
	below, hi := factsPass(c.Facts, Le, x.Hi)
	if !lo || !hi {
		return 0, false
	}
	return negated(math.Max(0, above+below-c.Facts.Present()), x.Not), true
}

func inPasses(x *In) (part float64, known bool) {
	if len(x.X) != 1 {
		return 0, false
	}
	c, ok := x.X[0].(*Col)
	if !ok || c.Facts == nil {
		return 0, false
	}
	for _, item := range x.Items {
		p, _ := factsPass(c.Facts, Eq, item[0])
		part += p
	}
	return negated(math.Min(1, part), x.Not), true
}

// matches estimates the rows of a join by hash: of each key as many as there are on average, where that is known of one side.
func (j *Join) matches(l, r *Estimate) float64 {
	part, known := 1.0, false
	for _, k := range j.Keys {
		if p, ok := comparePasses(&Compare{Op: Eq, L: k.L, R: k.R}); ok {
			part, known = part*p, true
		}
	}
	if !known {
		return math.Max(l.Rows, r.Rows)
	}
	return math.Max(1, l.Rows*r.Rows*part)
}

// semiFraction guesses the part of left rows that a semi or an anti join passes.
const semiFraction = 0.5

func sortCost(rows float64) float64 { return rows * math.Log2(rows+2) * 0.2 }

// hashCost is the cost of a hash join that remembers the right rows.
func hashCost(l, r *Estimate) float64 { return l.Cost + r.Cost + 1.2*l.Rows + 2*r.Rows }

// loopCost is the cost of testing all pairs.
func loopCost(l, r *Estimate) float64 { return l.Cost + r.Cost + l.Rows*r.Rows }

// applyCost is the cost of opening the right side for every left row.
func applyCost(l, r *Estimate) float64 { return l.Cost + l.Rows*(r.Cost+2) }

// semiApplyCost is applyCost of a semi or an anti join, which reads no further than to the first match.
func semiApplyCost(l, r *Estimate) float64 {
	const read = 0.1
	return l.Cost + l.Rows*(r.Cost*read+2)
}
