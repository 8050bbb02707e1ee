package plan

import "math"

// This file is the cost model. Costs are in rows read.

// unknownRows stands for a table of which nothing is known, and for a smaller one: a plan may outlive the emptiness in which it was
// made, and on few rows a seek costs nothing.
const unknownRows = 1000

// worthSwapping is the work from which on the order of FROM gives way to a cheaper one, and the number of right rows from which on a
// hash join remembers the left ones if those are far fewer. Below, the order of the left side is kept for least surprise.
const worthSwapping = 10_000

// worthReordering is the part of the cost in the order of FROM that another order must stay under.
const worthReordering = 0.5

// selectivity guesses the part of rows that conditions pass.
func selectivity(conds []Expr) float64 {
	part := 1.0
	for _, x := range conds {
		part *= passes(x)
	}
	return part
}

func passes(x Expr) float64 {
	if c, ok := x.(*Compare); ok && (c.Op == Eq || c.Op == Is) {
		return 0.1
	}
	return 0.4
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
