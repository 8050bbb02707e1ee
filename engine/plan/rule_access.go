package plan

import (
	"context"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// accessScan chooses how to read a table, with the order that is asked for if that is cheaper than sorting.
func (o *optimizer) accessScan(s *Scan, want []orderTerm) Node {
	s = fresh(s)
	s.Rows = unknownRows
	if n := o.tableRows(s); n != nil {
		s.Rows = float64(*n)
	}
	s.Cost = s.Rows
	planner := o.planner(s)
	if planner == nil {
		s.Rows *= selectivity(s.Filters)
		return s
	}
	c := newConstraints(s)
	r := o.request(s, c, want)
	p := o.ask(planner, s, r)
	if p == nil {
		return s
	}
	if p.Kind == vtab.PlanScan && p.Rows < unknownRows && r.EstimatedRows == nil {
		floor := int64(unknownRows) // what a table of some size would be worth seeking in is worth it here
		r.EstimatedRows = &floor
		if p = o.ask(planner, s, r); p == nil {
			return s
		}
	}
	s.Access = chosen(s, c, p)
	s.Rows, s.Cost = float64(p.Rows)*selectivity(s.Access.Residual), p.Cost
	return s
}

// ask asks a module for its best access; nil after a fault.
func (o *optimizer) ask(planner vtab.AccessPlanner, s *Scan, r *vtab.AccessRequest) *vtab.AccessPlan {
	p, err := planner.BestAccess(o.context(), s.Table, r)
	if err == nil {
		err = vtab.ValidateAccess(s.Table, r, p)
	}
	if err != nil {
		o.fail(err)
		return nil
	}
	return p
}

func (o *optimizer) planner(s *Scan) vtab.AccessPlanner {
	if o.env.Planner == nil {
		return nil
	}
	return o.env.Planner(s.Table.Module)
}

func (o *optimizer) context() context.Context {
	if o.env.Ctx == nil {
		return context.Background()
	}
	return o.env.Ctx
}

func (o *optimizer) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// tableRows gives the rows of a table, nil for unknown: then the module goes by its own count.
func (o *optimizer) tableRows(s *Scan) *int64 {
	if o.env.Rows == nil {
		return nil
	}
	n, known := o.env.Rows(s.Table)
	if !known {
		return nil
	}
	n = max(n, unknownRows)
	return &n
}

// request asks for an access that serves the constraints.
func (o *optimizer) request(s *Scan, c *scanConstraints, want []orderTerm) *vtab.AccessRequest {
	r := &vtab.AccessRequest{Columns: s.Used, RequiredOrdering: scanOrdering(s, want)}
	for _, k := range c.list {
		k.Part = k.passes(s.Cols[k.Column].Facts)
		r.Filters = append(r.Filters, k.Constraint)
	}
	r.EstimatedRows = o.tableRows(s)
	if s.Top != nil && len(r.RequiredOrdering) == len(want) {
		r.Limit = constantLimit(s.Top)
	}
	return r
}

// scanOrdering gives an order over a scan's columns in the words of the module contract; nil when it is over others too.
func scanOrdering(s *Scan, want []orderTerm) []vtab.Ordering {
	out := make([]vtab.Ordering, len(want))
	for i, w := range want {
		c := findColumn(s.Cols, w.id)
		if c < 0 {
			return nil
		}
		out[i] = vtab.Ordering{Column: c, Desc: w.desc, NullsLast: w.nullsLast, Collation: w.collation}
	}
	return out
}

// constantLimit gives the number of rows that a limit passes or skips, nil when it is only known at execution.
func constantLimit(l *Limit) *int64 {
	n := int64(0)
	for _, x := range []Expr{l.Count, l.Offset} {
		if x == nil {
			continue
		}
		c, ok := x.(*Const)
		if !ok {
			return nil
		}
		i, ok := c.Value.Int64()
		if !ok {
			return nil
		}
		n += max(i, 0)
	}
	return &n
}

// chosen turns a module's answer into an Access: the expressions that feed it, and the filters that are still to be applied.
func chosen(s *Scan, c *scanConstraints, p *vtab.AccessPlan) *Access {
	a := &Access{Plan: p}
	applied := make([]bool, len(c.list))
	pinned := len(p.SeekColumns)
	ranged := p.Kind == vtab.PlanRangeSeek || p.Kind == vtab.PlanPrefixRange || p.Kind == vtab.PlanMultiRange
	switch {
	case p.Kind == vtab.PlanScan:
		pinned = 0
	case p.Kind == vtab.PlanEmpty:
		return a
	case ranged:
		pinned--
	}
	for _, col := range p.SeekColumns[:pinned] {
		if i := c.claimed(p, col, isEquality); i >= 0 {
			k := c.list[i]
			a.Pins = append(a.Pins, Pin{Values: k.values, IsNull: k.Op == vtab.OpIsNull})
			applied[i] = true
		}
	}
	if ranged {
		a.Ranges = c.ranges(p, p.SeekColumns[pinned], applied)
	}
	a.Residual = c.residual(s, p, applied)
	return a
}

// claimed gives the first constraint of a role on a column that the access applies, -1 for none.
func (c *scanConstraints) claimed(p *vtab.AccessPlan, col int, role func(vtab.Op) bool) int {
	for i, k := range c.list {
		if p.Handled[i] && k.Column == col && role(k.Op) {
			return i
		}
	}
	return -1
}

func isEquality(op vtab.Op) bool { return op == vtab.OpEq || op == vtab.OpIn || op == vtab.OpIsNull }
func isLower(op vtab.Op) bool    { return op == vtab.OpGt || op == vtab.OpGe }
func isUpper(op vtab.Op) bool    { return op == vtab.OpLt || op == vtab.OpLe }
func isOrRange(op vtab.Op) bool  { return op == vtab.OpOrRange }
func isNotNull(op vtab.Op) bool  { return op == vtab.OpIsNotNull }

// ranges gives the ranges of the last seek column and notes which constraints they apply.
func (c *scanConstraints) ranges(p *vtab.AccessPlan, col int, applied []bool) []Range {
	if i := c.claimed(p, col, isNotNull); i >= 0 {
		applied[i] = true // every range leaves NULLs out
	}
	if i := c.claimed(p, col, isOrRange); i >= 0 {
		applied[i] = true
		return c.list[i].ranges
	}
	var r Range
	if i := c.claimed(p, col, isLower); i >= 0 {
		applied[i] = true
		r.Lower = rangeOf(c.list[i].Op, c.list[i].values[0]).Lower
	}
	if i := c.claimed(p, col, isUpper); i >= 0 {
		applied[i] = true
		r.Upper = rangeOf(c.list[i].Op, c.list[i].values[0]).Upper
	}
	return []Range{r}
}

// residual lists the filters that the access does not apply for certain.
func (c *scanConstraints) residual(s *Scan, p *vtab.AccessPlan, applied []bool) []Expr {
	sure := make([]bool, len(s.Filters))
	for i, k := range c.list {
		exact := applied[i] && (p.Recheck == nil || !p.Recheck[i])
		first := i == 0 || c.list[i-1].filter != k.filter
		sure[k.filter] = exact && (first || sure[k.filter])
	}
	var out []Expr
	for i, f := range s.Filters {
		if !sure[i] {
			out = append(out, f)
		}
	}
	return out
}

// orderTerm is a term of an order over a node's columns.
type orderTerm struct {
	id              ColID
	desc, nullsLast bool
	collation       *types.Collation
}
