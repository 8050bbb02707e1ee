package vtab

import (
	"math"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// ValidateAccess checks what can be checked of a module's answer (rules A1–A10): a plan that fails is a fault of the
// module, INTERNAL naming it and the table.
func ValidateAccess(t *catalog.Table, r *AccessRequest, p *AccessPlan) error {
	v := accessCheck{t: t, r: r, p: p}
	switch {
	case !v.shape():
	case !v.index():
	case !v.claims():
	case !v.seek():
	default:
		v.ordering()
	}
	if v.fault == "" {
		return nil
	}
	return types.Errorf(types.INTERNAL, "module %s: access to table %s: %s", t.Module, t.Name, v.fault)
}

// accessCheck carries one check. Its methods give false when they have set fault.
type accessCheck struct {
	t     *catalog.Table
	r     *AccessRequest
	p     *AccessPlan
	fault string
}

func (v *accessCheck) fail(fault string) bool {
	v.fault = fault
	return false
}

// shape checks the numbers of the plan (A1, A10).
func (v *accessCheck) shape() bool {
	p := v.p
	switch {
	case len(p.Handled) != len(v.r.Filters):
		return v.fail("one claim a filter expected")
	case p.Recheck != nil && len(p.Recheck) != len(p.Handled):
		return v.fail("one recheck a filter expected")
	case !(p.Cost >= 0) || math.IsInf(p.Cost, 0):
		return v.fail("cost is no number of rows")
	case p.Rows < 0:
		return v.fail("negative row estimate")
	case p.Rows == 0 && p.Kind != PlanEmpty:
		return v.fail("an estimate of 0 rows is a claim that only an empty access makes")
	}
	for i, recheck := range p.Recheck {
		if recheck && !p.Handled[i] {
			return v.fail("recheck of a filter that is not handled")
		}
	}
	return v.columnsInRange()
}

func (v *accessCheck) columnsInRange() bool {
	for _, c := range v.p.SeekColumns {
		if c < 0 || c >= len(v.t.Columns) {
			return v.fail("seek column out of range")
		}
	}
	for _, o := range v.p.Provides {
		if o.Column < 0 || o.Column >= len(v.t.Columns) {
			return v.fail("order column out of range")
		}
	}
	return true
}

// index checks that the structure exists (A9).
func (v *accessCheck) index() bool {
	ix := v.p.Index
	switch {
	case ix == nil:
		if len(v.p.SeekColumns) > 0 && v.p.Kind != PlanEmpty {
			return v.fail("seek without an index")
		}
	case ix.Primary:
	case ix.Unique >= 0:
		if ix.Unique >= len(v.t.Uniques) {
			return v.fail("no such unique structure")
		}
	case ix.Index < 0 || ix.Index >= len(v.t.Indexes):
		return v.fail("no such index")
	}
	return true
}

// role is the part that a filter can play on its column.
type role uint8

const (
	roleOther role = iota
	roleEqual
	roleLower
	roleUpper
)

func roleOf(op Op) role {
	switch op {
	case OpEq, OpIn, OpIsNull:
		return roleEqual
	case OpGt, OpGe:
		return roleLower
	case OpLt, OpLe:
		return roleUpper
	}
	return roleOther
}

// claims checks that only the first filter of a column and role is claimed (A2), and that what is claimed is a seek column. An empty
// access takes no values, so it may rest on any filter.
func (v *accessCheck) claims() bool {
	if v.p.Kind == PlanEmpty {
		return true
	}
	type place struct {
		column int
		role   role
	}
	seen := map[place]bool{}
	for i, f := range v.r.Filters {
		at := place{f.Column, roleOf(f.Op)}
		if v.p.Handled[i] && at.role != roleOther && seen[at] {
			return v.fail("a second filter of one column and role is claimed")
		}
		seen[at] = true
		if v.p.Handled[i] && !v.seeks(f.Column) {
			return v.fail("a claimed filter is not on a seek column")
		}
	}
	return true
}

func (v *accessCheck) seeks(column int) bool {
	for _, c := range v.p.SeekColumns {
		if c == column {
			return true
		}
	}
	return false
}

// seek checks that every seek column is fed by a claimed filter, and that a range stands last, behind pinned columns (A3, A4).
func (v *accessCheck) seek() bool {
	if v.p.Kind == PlanScan || v.p.Kind == PlanEmpty {
		return true
	}
	if len(v.p.SeekColumns) == 0 {
		return v.fail("a seek without seek columns")
	}
	ranged := v.p.Kind == PlanRangeSeek || v.p.Kind == PlanPrefixRange || v.p.Kind == PlanMultiRange
	for i, c := range v.p.SeekColumns {
		last := i == len(v.p.SeekColumns)-1
		switch {
		case ranged && last:
			if !v.claimed(c, func(op Op) bool { return roleOf(op) != roleEqual }) {
				return v.fail("a range without a claimed bound")
			}
		case !v.claimed(c, func(op Op) bool { return roleOf(op) == roleEqual }):
			return v.fail("a seek column without a claimed equality")
		case v.p.Kind != PlanMultiSeek && v.claimed(c, func(op Op) bool { return op == OpIn }):
			return v.fail("IN does not pin a column")
		}
	}
	return true
}

func (v *accessCheck) claimed(column int, want func(Op) bool) bool {
	for i, f := range v.r.Filters {
		if v.p.Handled[i] && f.Column == column && want(f.Op) {
			return true
		}
	}
	return false
}

// ordering checks that a set of values known only at execution comes with no order (A6).
func (v *accessCheck) ordering() bool {
	if len(v.p.Provides) == 0 {
		return true
	}
	for i, f := range v.r.Filters {
		if v.p.Handled[i] && f.RuntimeSet != nil {
			return v.fail("an order is claimed over a runtime set")
		}
	}
	return true
}
