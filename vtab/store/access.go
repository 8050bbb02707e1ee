package store

import (
	"context"
	"math"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/vtab"
)

// Access planning. For every structure of the table the planner takes the longest run of leading members that equalities pin, then a
// range on the member behind them, and asks what reading that costs; the cheapest structure wins, the order asked for
// included. Costs are in rows read one after another.
const (
	// fetchCost is what fetching a row by its key costs: a seek instead of a step.
	fetchCost = 10
	// entryCost is what reading an index entry costs.
	entryCost = 0.7
	// sortCost is what sorting costs for a row and a comparison.
	sortCost = 0.2
	// unknownRows stands for a table of which nothing is known.
	unknownRows = 1000
	// maxSeeks bounds the tuples of a multi-seek.
	maxSeeks = 10_000
	// The part of the rows that a range keeps, by what bounds it.
	oneSided, twoSided, disjunction, notNull = 1.0 / 4, 1.0 / 16, 1.0 / 4, 0.9
)

// BestAccess implements vtab.AccessPlanner. Partial indexes are never chosen: no request can prove their predicate.
func (m *Module) BestAccess(_ context.Context, t *catalog.Table, r *vtab.AccessRequest) (*vtab.AccessPlan, error) {
	s, err := m.shapeOf(t)
	if err != nil {
		return nil, err
	}
	if p := unsatisfiable(t, r); p != nil {
		return p, nil
	}
	a := planner{shape: s, request: r, rows: m.estimateRows(s, r)}
	best := a.plan(s.primary)
	for _, x := range s.others {
		if x.partial {
			continue
		}
		if c := a.plan(x); c.cost+c.sorting < best.cost+best.sorting {
			best = c
		}
	}
	return best.finish(), nil
}

// estimateRows gives the rows of the table, at least 1: what the request says, else the count of the last commit.
func (m *Module) estimateRows(s *shape, r *vtab.AccessRequest) float64 {
	if r.EstimatedRows != nil {
		return max(1, float64(*r.EstimatedRows))
	}
	if n, known := m.rowsOf(s.primary.inc); known {
		return max(1, float64(n))
	}
	return unknownRows
}

// unsatisfiable gives the empty access when a filter can be true of no row, whatever the rows are: a comparison with NULL, or
// IS NULL of a NOT NULL column.
func unsatisfiable(t *catalog.Table, r *vtab.AccessRequest) *vtab.AccessPlan {
	for i, f := range r.Filters {
		never := f.Op == vtab.OpIsNull && t.Columns[f.Column].NotNull
		switch f.Op {
		case vtab.OpEq, vtab.OpGt, vtab.OpGe, vtab.OpLt, vtab.OpLe:
			never = f.Known && f.Value.IsNull()
		}
		if never {
			p := &vtab.AccessPlan{Handled: make([]bool, len(r.Filters)), Kind: vtab.PlanEmpty, Explain: "empty"}
			p.Handled[i] = true
			return p
		}
	}
	return nil
}

// planner plans one request.
type planner struct {
	shape   *shape
	request *vtab.AccessRequest
	rows    float64 // of the table
}

// candidate is a way to read one structure.
type candidate struct {
	*planner
	s    *structure
	plan vtab.AccessPlan
	// pinned is the number of leading members with an equality; single of them, from the first on, have one exact value.
	pinned, single int
	ranged         bool
	// nonNull is the member that a range keeps free of NULL, -1 when there is none.
	nonNull       int
	seeks         float64 // tuples of a multi-seek, else 1
	widened       bool    // a filter may have to be widened at execution
	runtimeSet    bool
	cost, sorting float64
}

// plan plans the access through s.
func (a *planner) plan(s *structure) *candidate {
	c := &candidate{planner: a, s: s, seeks: 1, nonNull: -1}
	n := len(a.request.Filters)
	c.plan.Handled = make([]bool, n)
	c.pinEqualities()
	if c.pinned < len(s.members) && c.plan.Kind != vtab.PlanMultiSeek {
		c.bound(&s.members[c.pinned])
	}
	c.plan.Covering = s.kind != primaryKind && a.request.Columns.Max() < 0
	c.estimate()
	c.order()
	return c
}

// pinEqualities takes the equalities on leading members.
func (c *candidate) pinEqualities() {
	for i := range c.s.members {
		m := &c.s.members[i]
		f := c.first(m, isEquality)
		if f < 0 || !c.takeEquality(m, f) {
			break
		}
		c.pinned++
		if c.runtimeSet { // its tuples are of this one column
			break
		}
	}
	if c.pinned > 0 && c.plan.Kind == vtab.PlanScan {
		c.plan.Kind = vtab.PlanEqSeek
	}
}

func isEquality(op vtab.Op) bool { return op == vtab.OpEq || op == vtab.OpIn || op == vtab.OpIsNull }
func isLower(op vtab.Op) bool    { return op == vtab.OpGt || op == vtab.OpGe }
func isUpper(op vtab.Op) bool    { return op == vtab.OpLt || op == vtab.OpLe }

// first gives the first filter of a role on the member's column, -1 when there is none or it cannot be served: a later one of the
// same role is not for us (rule A2).
func (c *candidate) first(m *member, role func(vtab.Op) bool) int {
	if m.column < 0 {
		return -1
	}
	for i := range c.request.Filters {
		f := &c.request.Filters[i]
		if f.Column == m.column && role(f.Op) {
			if !m.serves(f) {
				return -1
			}
			return i
		}
	}
	return -1
}

// serves reports whether keys of m decide the filter: it compares under the same collation, and its value, when known, has a
// place among them.
func (m *member) serves(f *vtab.Constraint) bool {
	if f.Op == vtab.OpIsNull || f.Op == vtab.OpIsNotNull {
		return true
	}
	if !m.typ.Numeric && keyCollation(m.typ, f.Collation) != m.collation {
		return false
	}
	return !f.Known || m.part.Holds(f.Value)
}

// uncertain reports whether the filter's value may turn out to have no place among the keys.
func (m *member) uncertain(f *vtab.Constraint) bool {
	return m.typ.SemanticOrder && !f.Known && f.Op != vtab.OpIsNull && f.Op != vtab.OpIsNotNull
}

func (c *candidate) takeEquality(m *member, i int) bool {
	f := &c.request.Filters[i]
	if f.Op == vtab.OpIn {
		n := float64(f.Count)
		if f.RuntimeSet != nil {
			n = float64(f.RuntimeSet.MaxCount)
		}
		if n < 1 || c.seeks*n > maxSeeks || f.RuntimeSet != nil && c.pinned > 0 {
			return false
		}
		c.seeks *= n
		c.plan.Kind = vtab.PlanMultiSeek
		c.runtimeSet = f.RuntimeSet != nil
	} else if c.single == c.pinned && !m.uncertain(f) {
		c.single++
	}
	c.take(m, i)
	return true
}

// take claims a filter on a seek column. Behind a member that may have to be widened, nothing is sure to be applied.
func (c *candidate) take(m *member, i int) {
	c.plan.Handled[i] = true
	if n := len(c.plan.SeekColumns); n == 0 || c.plan.SeekColumns[n-1] != m.column {
		c.plan.SeekColumns = append(c.plan.SeekColumns, m.column)
	}
	if c.widened || m.uncertain(&c.request.Filters[i]) {
		if c.plan.Recheck == nil {
			c.plan.Recheck = make([]bool, len(c.request.Filters))
		}
		c.plan.Recheck[i], c.widened = true, true
	}
}

// bound takes the range on the member behind the pinned ones.
func (c *candidate) bound(m *member) {
	if !m.part.Ordered() {
		return
	}
	lower, upper := c.first(m, isLower), c.first(m, isUpper)
	or := c.first(m, func(op vtab.Op) bool { return op == vtab.OpOrRange })
	kind := vtab.PlanRangeSeek
	switch {
	case lower >= 0 || upper >= 0:
		if lower >= 0 {
			c.take(m, lower)
		}
		if upper >= 0 {
			c.take(m, upper)
		}
	case or >= 0:
		c.take(m, or)
		kind = vtab.PlanMultiRange
	default:
		known := c.first(m, func(op vtab.Op) bool { return op == vtab.OpIsNotNull })
		if known < 0 {
			return
		}
		c.take(m, known)
	}
	if c.pinned > 0 && kind == vtab.PlanRangeSeek {
		kind = vtab.PlanPrefixRange
	}
	c.plan.Kind, c.ranged = kind, true
	if !c.widened {
		c.nonNull = c.pinned
	}
}

// exact reports whether the access finds at most one row: a whole key with one value a member. NULLs identify in the primary
// key only.
func (c *candidate) exact() bool {
	if !c.s.unique || c.single < len(c.s.members) {
		return false
	}
	for i := range c.request.Filters {
		if c.plan.Handled[i] && c.request.Filters[i].Op == vtab.OpIsNull && c.s.kind != primaryKind {
			return false
		}
	}
	return true
}

// estimate sets the rows and the cost. Without statistics, a key of k members in a unique structure is taken to split its rows evenly
// over the members; a plain index as if it had one member more.
func (c *candidate) estimate() {
	rows := c.rows
	c.plan.Unique = c.exact()
	switch {
	case c.plan.Unique:
		rows = 1
	case c.known(isEquality):
		rows *= c.parts(isEquality)
	case c.pinned > 0:
		k := float64(len(c.s.members))
		if !c.s.unique {
			k++
		}
		rows = min(rows, c.seeks*math.Pow(rows, max(0, 1-float64(c.pinned)/k)))
	}
	if c.ranged {
		rows *= c.kept()
	}
	rows = max(1, rows)
	c.plan.Rows = int64(rows)
	each := 1.0
	switch {
	case c.plan.Covering:
		each = entryCost
	case c.s.kind != primaryKind:
		each += fetchCost
	}
	seek := 0.0
	if c.plan.Kind != vtab.PlanScan {
		seek = c.seeks * math.Log2(c.rows+1)
	}
	c.cost = seek + each*rows
}

// kept gives the part of the rows that the range keeps.
func (c *candidate) kept() float64 {
	if c.known(isRange) {
		return c.parts(isRange)
	}
	bounds := 0
	for i, f := range c.request.Filters {
		if !c.plan.Handled[i] {
			continue
		}
		switch {
		case isLower(f.Op), isUpper(f.Op):
			bounds++
		case f.Op == vtab.OpOrRange:
			return disjunction
		case f.Op == vtab.OpIsNotNull && bounds == 0:
			return notNull
		}
	}
	if bounds == 2 {
		return twoSided
	}
	return oneSided
}

func isRange(op vtab.Op) bool { return !isEquality(op) }

// known reports whether the access handles filters of a role and statistics tell of each what it lets through.
func (c *candidate) known(role func(vtab.Op) bool) (known bool) {
	for i, f := range c.request.Filters {
		if !c.plan.Handled[i] || !role(f.Op) {
			continue
		}
		if f.Part == 0 {
			return false
		}
		known = true
	}
	return known
}

// parts is the part of the rows that the handled filters of a role let through together: those of one column are bounds of one range,
// those of several are taken to be independent.
func (c *candidate) parts(role func(vtab.Op) bool) float64 {
	part, lower, upper := 1.0, 0.0, 0.0
	for i, f := range c.request.Filters {
		switch {
		case !c.plan.Handled[i] || !role(f.Op):
		case isLower(f.Op):
			lower = f.Part
		case isUpper(f.Op):
			upper = f.Part
		default:
			part *= f.Part
		}
	}
	switch {
	case lower > 0 && upper > 0:
		part *= max(lower+upper-1, 1e-6)
	case lower+upper > 0:
		part *= lower + upper
	}
	return part
}

// finish gives the plan to the engine.
func (c *candidate) finish() *vtab.AccessPlan {
	p := &c.plan
	p.Cost = c.cost
	if c.s.kind != primaryKind || p.Kind != vtab.PlanScan || p.Reverse {
		p.Index = c.s.ref(c.shape.table)
	}
	p.Explain = c.explain()
	return p
}

// ref names the structure.
func (s *structure) ref(t *catalog.Table) *vtab.IndexRef {
	switch s.kind {
	case primaryKind:
		return &vtab.IndexRef{Name: vtab.PrimaryIndex, Primary: true, Unique: -1, Index: -1}
	case uniqueKind:
		return &vtab.IndexRef{Name: t.StructureName(t.Uniques[s.ordinal]), Unique: s.ordinal, Index: -1}
	}
	return &vtab.IndexRef{Name: t.Indexes[s.ordinal].Name, Unique: -1, Index: s.ordinal}
}
