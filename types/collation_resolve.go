package types

import "errors"

// Contribution is what an operand says about the collation of a comparison: which, and how strongly. The zero Contribution,
// that of literals and most expressions, says nothing.
type Contribution struct {
	Collation *Collation
	Rank      Rank
}

// rank is the strength that counts: a defaulted BINARY is no preference.
func (c Contribution) rank() Rank {
	if c.Collation == nil || c.Rank == RankDefault && c.Collation.Name == Binary.Name {
		return RankNone
	}
	return c.Rank
}

// strongest gives the first contribution of the highest rank, and the first of that rank that names another collation.
// Without any both are zero.
func strongest(cs []Contribution) (first, rival Contribution) {
	for _, c := range cs {
		switch rank := c.rank(); {
		case rank == RankNone || rank < first.Rank:
		case rank > first.Rank:
			first, rival = c, Contribution{}
		case c.Collation.Name != first.Collation.Name && rival.Collation == nil:
			rival = c
		}
	}
	return first, rival
}

// MergeContributions merges the contributions of operands that are compared under one collation: the members of an IN list,
// the arguments of greatest and least, the arms of a set operation that compares rows. Different collations of the highest
// rank are an ERROR when they are explicit or declared, and contribute nothing when they are defaults.
func MergeContributions(cs ...Contribution) (Contribution, error) {
	first, rival := strongest(cs)
	if rival.Collation == nil {
		return first, nil
	}
	switch first.Rank {
	case RankExplicit:
		return Contribution{}, collationConflict("conflicting COLLATE clauses in comparison: %s vs %s", first, rival)
	case RankDeclared:
		return Contribution{}, collationConflict("ambiguous collation for comparison: column collations %s vs %s differ; "+
			"apply an explicit COLLATE", first, rival)
	}
	return Contribution{}, nil
}

// ResolveComparison gives the collation of `a op b`: that of the operand with the higher rank, BINARY when neither says
// anything or two defaults differ. It is symmetric but for the order of names in its error (see MergeContributions).
//
// For IN, a is the probe and b the merged members; BETWEEN and CASE resolve each of their comparisons by itself.
func ResolveComparison(a, b Contribution) (*Collation, error) {
	c, err := MergeContributions(a, b)
	if err != nil {
		return nil, err
	}
	return c.Effective(), nil
}

// Effective gives the collation to compare under when nothing else has a say: BINARY for no contribution.
func (c Contribution) Effective() *Collation {
	if c.Collation == nil {
		return Binary
	}
	return c.Collation
}

// PropagateContributions gives the contribution of an expression that combines operands without comparing them: ||, the
// results of CASE, the arms of UNION ALL. The strongest passes on; different collations of the highest rank pass on none.
func PropagateContributions(cs ...Contribution) Contribution {
	first, rival := strongest(cs)
	if rival.Collation != nil {
		return Contribution{}
	}
	return first
}

// ErrCollationConflict is the cause of the errors about operands whose collations contradict each other.
var ErrCollationConflict = errors.New("the operands demand different collations")

func collationConflict(format string, a, b Contribution) *Error {
	e := Errorf(ERROR, format, a.Collation, b.Collation)
	e.Cause = ErrCollationConflict
	return e
}
