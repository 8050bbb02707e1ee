package vtab

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// AccessPlanner is a module that offers more than a full scan. Absent: every access is a full scan and all predicates stay with the engine.
type AccessPlanner interface {
	// BestAccess chooses the way to read t.
	BestAccess(ctx context.Context, t *catalog.Table, r *AccessRequest) (*AccessPlan, error)
}

// Op is the operator of a constraint on a column.
type Op uint8

// The operators. OpOrRange is a disjunction of ranges on one column. No comparison but OpIsNull is true of NULL: the engine answers
// a comparison whose value turns out to be NULL itself, with no row.
const (
	OpEq Op = iota
	OpGt
	OpGe
	OpLt
	OpLe
	OpIn
	OpIsNull
	OpIsNotNull
	OpOrRange
)

// Constraint is one predicate "column op value" that an access may take over.
type Constraint struct {
	Column int
	Op     Op
	// Collation is the one the comparison runs under; an access may serve it only through a structure with the same identity.
	Collation *types.Collation
	// Value is the literal, when Known at planning.
	Value types.Value
	Known bool
	// Count is the number of members of OpIn, 0 when only known at execution.
	Count int
	// Part is the part of the table's rows that the constraint lets through, by statistics; 0 when nothing is known.
	Part float64
	// RuntimeSet is set for an OpIn whose members come at execution.
	RuntimeSet *RuntimeSet
}

// RuntimeSet bounds a set of probe values that is only known at execution. MaxCount ≥ 1, 0 ≤ Estimated ≤ MaxCount.
type RuntimeSet struct{ MaxCount, Estimated int }

// AccessRequest is the engine's question: which of the filters can you take over, what does it cost, in which order do rows come?
type AccessRequest struct {
	Filters []Constraint
	// Columns are the columns that will be read: an index that covers them may answer alone.
	Columns          ColumnSet
	RequiredOrdering []Ordering
	Limit            *int64
	// EstimatedRows of the whole table, from statistics or the module's count; nil when unknown.
	EstimatedRows *int64
}

// Ordering is a column with its direction. NULLs come first in both directions unless NullsLast.
type Ordering struct {
	Column    int
	Desc      bool
	NullsLast bool
	Collation *types.Collation
}

// AccessPlan is the module's answer. ValidateAccess checks the rules A1–A10 of docs/reference/modules.md that can be checked.
type AccessPlan struct {
	// Handled says, one a filter, which the access applies itself. Claims are positional: per column and role (equality, lower,
	// upper bound) at most the first filter. The values of exactly these filters fill Filter.Eq, Lower, Upper, Seeks and Ranges.
	Handled []bool
	// Recheck says, one a filter, which handled filters only narrow the access, so that the engine applies them again: those on a
	// column with an order of its own (TIMESPAN, JSON) whose value is not known yet and may be outside the type, where its place
	// among the keys says nothing. nil when all are exact.
	Recheck []bool
	Cost    float64 // ≥ 0, in rows read one after another; a row fetched by its key counts several
	Rows    int64   // estimate, at least 1; 0 is for PlanEmpty alone, the claim that no row can match
	// Provides is the order in which rows come, as far as it holds, with the directions in which they really come.
	Provides []Ordering
	// Index is the structure that is walked; nil for a full scan in key order.
	Index *IndexRef
	// SeekColumns are the columns that form the seek key, in order.
	SeekColumns []int
	Kind        PlanKind
	// Reverse walks the structure from its end. A multi-seek walks forward, whatever the order of its arguments.
	Reverse bool
	// Unique promises at most one row.
	Unique bool
	// Covering tells that the structure answers alone: no row is fetched.
	Covering bool
	Explain  string
}

// PrimaryIndex is the name of the primary key as a structure.
const PrimaryIndex = "_primary_"

// IndexRef names a structure of a table by role.
type IndexRef struct {
	Name string
	// Primary is the primary key, Unique ≥ 0 the covering structure of that UNIQUE constraint, Index ≥ 0 that index.
	Primary bool
	Unique  int
	Index   int
}

// PlanKind is the shape of an access.
type PlanKind uint8

// The shapes, with the parts of Filter that each takes.
const (
	// PlanScan reads all of the structure.
	PlanScan PlanKind = iota
	// PlanEqSeek pins every seek column: Eq.
	PlanEqSeek
	// PlanRangeSeek bounds the one seek column: Lower, Upper. Without either, it reads what is not NULL.
	PlanRangeSeek
	// PlanMultiSeek pins every seek column, tuple by tuple: Seeks.
	PlanMultiSeek
	// PlanMultiRange pins all seek columns but the last, which lies in one of several ranges: Eq, Ranges.
	PlanMultiRange
	// PlanPrefixRange pins all seek columns but the last, which is bounded: Eq, Lower, Upper.
	PlanPrefixRange
	// PlanEmpty reads nothing: the handled filters can be true of no row.
	PlanEmpty
)

// Filter reaches Table.Scan: a chosen access with its values.
type Filter struct {
	// Access is the plan that BestAccess gave; nil for a full scan in key order.
	Access *AccessPlan
	// Eq are the values of the equality prefix, one a seek column. Values are evaluated and never converted. NULL here and in
	// Seeks means IS NULL: a comparison with NULL does not reach Scan.
	Eq []types.Value
	// Lower and Upper bound the seek column behind the prefix; their values are not NULL. A range holds no NULL.
	Lower, Upper *Bound
	// Seeks are the tuples of a multi-seek; duplicates give each row once, and rows come in key order.
	Seeks [][]types.Value
	// Ranges are the ranges of PlanMultiRange; they may overlap and come in any order.
	Ranges []Range
	// Limit is a soft cap on the rows, 0 for none: a cursor may end after so many.
	Limit int64
	// Columns are the columns that will be read; others may be left NULL.
	Columns ColumnSet
}

// Range is a stretch of values; nil ends are open. Bounds are in value order, whatever the direction of the index.
type Range struct{ Lower, Upper *Bound }

// Bound is an end of a range.
type Bound struct {
	Value     types.Value
	Inclusive bool
}
