package function

import (
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// PlanColumns are the columns in which plans are shown, by query_plan() and by EXPLAIN (docs/reference/functions.md).
var PlanColumns = []Column{
	integerColumn("id"), {"parent_id", types.TypeInteger, true}, integerColumn("subquery_level"),
	textColumn("node_type"), textColumn("op"), textColumn("detail"), textOrNull("object_name"), textOrNull("alias"),
	textOrNull("properties"), textOrNull("physical"), {"est_cost", types.TypeReal, true}, {"est_rows", types.TypeInteger, true},
}

// planFacts holds what shows plans.
func planFacts() []*Function {
	return []*Function{lists("query_plan", 1, PlanColumns, queryPlan)}
}

// queryPlan lists the operators of a statement's plan. A text that cannot be planned is told in one row and is no error.
func queryPlan(c *Call, args []types.Value, emit emitter) error {
	if args[0].Kind() != types.KindText {
		return types.Errorf(types.ERROR, "query_plan() requires a SQL string argument")
	}
	if c.Planner == nil {
		return types.Errorf(types.MISUSE, "query_plan() is asked for where nothing can be planned")
	}
	rows, err := c.Planner.PlanText(args[0].Str())
	if err != nil {
		fault := make(types.Row, len(PlanColumns))
		fault[0], fault[2] = types.Int(1), types.Int(0)
		fault[3], fault[4], fault[5] = types.Text("error"), types.Text("ERROR"), types.Text(strings.TrimSpace(err.Error()))
		emit(fault...)
		return nil
	}
	for _, r := range rows {
		if !emit(r...) {
			break
		}
	}
	return nil
}
