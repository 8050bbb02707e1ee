package store

import (
	"math"
	"strings"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// order sets what order the access provides, choosing the direction of the walk by the one that is asked for, and what it would cost to
// sort its rows where it does not come in that order.
func (c *candidate) order() {
	required := c.request.RequiredOrdering
	forward := c.natural(false)
	switch {
	case c.runtimeSet:
		forward = nil
	case len(required) == 0:
	case c.satisfies(forward):
		forward = required
	case c.plan.Kind != vtab.PlanMultiSeek && c.satisfies(c.natural(true)):
		forward, c.plan.Reverse = required, true
	}
	c.plan.Provides = forward
	if len(required) > 0 && !c.provided() {
		c.sorting = float64(c.plan.Rows) * math.Log2(float64(c.plan.Rows)+1) * sortCost
		return
	}
	c.stopEarly()
}

// provided reports whether the access comes in the order asked for.
func (c *candidate) provided() bool {
	required := c.request.RequiredOrdering
	return len(c.plan.Provides) >= len(required) && &c.plan.Provides[0] == &required[0]
}

// stopEarly lowers the cost of an access that a LIMIT cuts short: no filter and no sort stands between them.
func (c *candidate) stopEarly() {
	if c.request.Limit == nil || c.widened {
		return
	}
	for _, handled := range c.plan.Handled {
		if !handled {
			return
		}
	}
	if part := float64(*c.request.Limit) / float64(c.plan.Rows); part < 1 {
		c.cost *= max(part, 0)
	}
}

// natural gives the order in which the entries lie, without the members that one value pins. Members behind one whose keys do
// not come in its order, or behind an expression, give none.
func (c *candidate) natural(reverse bool) []vtab.Ordering {
	var out []vtab.Ordering
	add := func(members []member, from int) bool {
		for i := from; i < len(members); i++ {
			m := &members[i]
			if m.column < 0 || !m.part.Ordered() {
				return false
			}
			if !hasColumn(out, m.column) && !c.pins(m.column) {
				out = append(out, vtab.Ordering{Column: m.column, Desc: m.desc != reverse, NullsLast: reverse, Collation: m.collation})
			}
		}
		return true
	}
	if add(c.s.members, c.single) && c.s.kind != primaryKind {
		add(c.shape.primary.members, 0)
	}
	return out
}

func hasColumn(list []vtab.Ordering, column int) bool {
	for _, o := range list {
		if o.Column == column {
			return true
		}
	}
	return false
}

// pins reports whether all rows of the access have one value in the column.
func (c *candidate) pins(column int) bool {
	for i := range c.single {
		if c.s.members[i].column == column {
			return true
		}
	}
	return false
}

// satisfies reports whether rows in the natural order are in the order asked for.
func (c *candidate) satisfies(natural []vtab.Ordering) bool {
	if c.plan.Unique {
		return true
	}
	at := 0
	for _, want := range c.request.RequiredOrdering {
		if c.pins(want.Column) {
			continue
		}
		if at == len(natural) {
			return c.identified(natural)
		}
		if !c.agrees(natural[at], want) {
			return false
		}
		at++
	}
	return true
}

// agrees reports whether one term of the natural order is the one asked for. Where a column cannot be NULL here, the place of
// NULLs does not matter, nor does the collation of numbers.
func (c *candidate) agrees(have, want vtab.Ordering) bool {
	column := c.shape.table.Columns[have.Column]
	free := column.NotNull || c.nonNull >= 0 && c.s.members[c.nonNull].column == have.Column
	return have.Column == want.Column && have.Desc == want.Desc &&
		(free || have.NullsLast == want.NullsLast) &&
		(column.Type.Numeric || keyCollation(column.Type, want.Collation) == have.Collation)
}

// identified reports whether the natural order has all of the primary key, so that no two rows tie and further terms decide nothing.
func (c *candidate) identified(natural []vtab.Ordering) bool {
	for _, m := range c.shape.primary.members {
		if !hasColumn(natural, m.column) && !c.pins(m.column) {
			return false
		}
	}
	return true
}

// explain spells the access: "primary (id = ?)", "index by_name (name = ?, born > ?) reverse".
func (c *candidate) explain() string {
	var b strings.Builder
	switch ref := c.s.ref(c.shape.table); {
	case ref.Primary:
		b.WriteString("primary")
	case ref.Unique >= 0:
		b.WriteString("unique " + ref.Name)
	default:
		b.WriteString("index " + ref.Name)
	}
	sep := " ("
	for i, f := range c.request.Filters {
		if c.plan.Handled[i] {
			b.WriteString(sep + c.shape.table.Columns[f.Column].Name + opText(&f))
			sep = ", "
		}
	}
	if sep != " (" {
		b.WriteString(")")
	}
	if c.plan.Reverse {
		b.WriteString(" reverse")
	}
	if c.plan.Covering {
		b.WriteString(" covering")
	}
	return b.String()
}

func opText(f *vtab.Constraint) string {
	value := "?"
	if f.Known {
		value = types.ToText(f.Value)
	}
	switch f.Op {
	case vtab.OpEq:
		return " = " + value
	case vtab.OpGt:
		return " > " + value
	case vtab.OpGe:
		return " >= " + value
	case vtab.OpLt:
		return " < " + value
	case vtab.OpLe:
		return " <= " + value
	case vtab.OpIn:
		return " in (…)"
	case vtab.OpIsNull:
		return " is null"
	case vtab.OpIsNotNull:
		return " is not null"
	}
	return " in ranges"
}
