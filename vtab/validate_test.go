package vtab

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

func TestValidateAccess(t *testing.T) {
	table := &catalog.Table{
		Name: "t", Module: "m", Columns: []*catalog.Column{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Uniques: []*catalog.Unique{{}}, Indexes: []*catalog.Index{{}},
	}
	primary := &IndexRef{Primary: true, Unique: -1, Index: -1}
	filters := []Constraint{
		{Column: 0, Op: OpEq}, {Column: 0, Op: OpIsNull}, {Column: 1, Op: OpGt}, {Column: 1, Op: OpLe}, {Column: 1, Op: OpGe},
		{Column: 2, Op: OpIn, RuntimeSet: &RuntimeSet{MaxCount: 3}},
	}
	handled := func(which ...int) []bool {
		h := make([]bool, len(filters))
		for _, i := range which {
			h[i] = true
		}
		return h
	}
	for _, c := range []struct {
		plan AccessPlan
		want string // "" for a good plan
	}{
		{AccessPlan{Handled: handled(), Rows: 9, Cost: 9}, ""},
		{AccessPlan{Handled: handled(0), Rows: 1, Index: primary, SeekColumns: []int{0}, Kind: PlanEqSeek}, ""},
		{AccessPlan{Handled: handled(0, 2, 3), Rows: 1, Index: primary, SeekColumns: []int{0, 1}, Kind: PlanPrefixRange}, ""},
		{AccessPlan{Handled: handled(0), Recheck: handled(0), Rows: 1, Index: primary, SeekColumns: []int{0}, Kind: PlanEqSeek}, ""},
		{AccessPlan{Handled: handled(5), Rows: 1, Index: primary, SeekColumns: []int{2}, Kind: PlanMultiSeek}, ""},
		{AccessPlan{Handled: handled(1), Kind: PlanEmpty}, ""},
		{AccessPlan{Handled: nil, Rows: 9}, "one claim a filter"},
		{AccessPlan{Handled: handled(), Recheck: []bool{true}, Rows: 9}, "one recheck a filter"},
		{AccessPlan{Handled: handled(), Recheck: handled(1), Rows: 9}, "recheck of a filter that is not handled"},
		{AccessPlan{Handled: handled(), Rows: 9, Cost: -1}, "cost"},
		{AccessPlan{Handled: handled(), Rows: 9, Cost: math.NaN()}, "cost"},
		{AccessPlan{Handled: handled(), Rows: -1}, "negative"},
		{AccessPlan{Handled: handled()}, "an estimate of 0 rows"},
		{AccessPlan{Handled: handled(0), Rows: 1, Index: primary, SeekColumns: []int{3}, Kind: PlanEqSeek}, "seek column out of range"},
		{AccessPlan{Handled: handled(), Rows: 1, Provides: []Ordering{{Column: -1}}}, "order column out of range"},
		{AccessPlan{Handled: handled(0), Rows: 1, SeekColumns: []int{0}, Kind: PlanEqSeek}, "seek without an index"},
		{AccessPlan{Handled: handled(), Rows: 1, Index: &IndexRef{Unique: 1, Index: -1}}, "no such unique structure"},
		{AccessPlan{Handled: handled(), Rows: 1, Index: &IndexRef{Unique: -1, Index: 1}}, "no such index"},
		{AccessPlan{Handled: handled(1), Rows: 1, Index: primary, SeekColumns: []int{0}, Kind: PlanEqSeek}, "a second filter"},
		{AccessPlan{Handled: handled(0, 4), Rows: 1, Index: primary, SeekColumns: []int{0, 1}, Kind: PlanPrefixRange}, "a second filter"},
		{AccessPlan{Handled: handled(0, 2), Rows: 1, Index: primary, SeekColumns: []int{0}, Kind: PlanEqSeek}, "not on a seek column"},
		{AccessPlan{Handled: handled(0), Rows: 1, Index: primary, Kind: PlanEqSeek}, "not on a seek column"},
		{AccessPlan{Handled: handled(), Rows: 1, Index: primary, Kind: PlanEqSeek}, "without seek columns"},
		{AccessPlan{Handled: handled(0), Rows: 1, Index: primary, SeekColumns: []int{0, 1}, Kind: PlanPrefixRange}, "a range without a claimed bound"},
		{AccessPlan{Handled: handled(2), Rows: 1, Index: primary, SeekColumns: []int{1}, Kind: PlanEqSeek}, "without a claimed equality"},
		{AccessPlan{Handled: handled(2, 5), Rows: 1, Index: primary, SeekColumns: []int{2, 1}, Kind: PlanPrefixRange}, "IN does not pin"},
		{AccessPlan{
			Handled: handled(5), Rows: 1, Index: primary, SeekColumns: []int{2}, Kind: PlanMultiSeek, Provides: []Ordering{{Column: 2}},
		}, "an order is claimed over a runtime set"},
	} {
		err := ValidateAccess(table, &AccessRequest{Filters: filters}, &c.plan)
		if c.want == "" {
			require.NoError(t, err, "%+v", c.plan)
			continue
		}
		require.ErrorIs(t, err, types.INTERNAL, "%+v", c.plan)
		require.ErrorContains(t, err, c.want)
		require.ErrorContains(t, err, "module m: access to table t: ")
	}
}
