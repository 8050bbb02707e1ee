package engine

import (
	"context"
	"math"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// explain shows the plan of a statement, which is not run. Faults are those of preparing it.
func (c *Conn) explain(ctx context.Context, src *ast.Source, s *ast.ExplainStmt, p Params) (*Rows, error) {
	if s.Analyze {
		return nil, types.Errorf(types.UNSUPPORTED, "EXPLAIN ANALYZE is not supported yet")
	}
	cat, err := c.catalog()
	if err != nil {
		return nil, err
	}
	env := c.planEnv(ctx, cat)
	env.Source, env.Params = src, p.types()
	pl, err := plan.PrepareStmt(s.Stmt, env)
	if err != nil {
		return nil, err
	}
	columns := make([]plan.Column, len(function.PlanColumns))
	for i, col := range function.PlanColumns {
		columns[i] = plan.Column{Name: col.Name, Type: col.Type, Nullable: col.Nullable}
	}
	return fixedRows(columns, planRows(pl)), nil
}

// textPlanner plans for query_plan() on the state of a statement. It satisfies function.Planner.
type textPlanner struct {
	conn *Conn
	cat  *catalog.Snapshot
}

func (p *textPlanner) PlanText(sql string) ([]types.Row, error) {
	stmts, err := parse.Stmts(ast.NewSource("", sql))
	if err != nil {
		return nil, err
	}
	if len(stmts) != 1 || !isPlanned(stmts[0]) {
		return nil, types.Errorf(types.ERROR, "query_plan() shows one query or data change")
	}
	pl, err := plan.PrepareStmt(stmts[0], p.conn.planEnv(context.Background(), p.cat))
	if err != nil {
		return nil, err
	}
	return planRows(pl), nil
}

// planRows gives the operators of a plan as function.PlanColumns lays them out.
func planRows(p *plan.Plan) []types.Row {
	var rows []types.Row
	for _, r := range p.ExplainRows() {
		row := types.Row{
			types.Int(int64(r.ID)), types.Null, types.Int(int64(r.Level)),
			types.Text(r.NodeType), types.Text(r.Op), types.Text(r.Detail), textOrNull(r.Object), textOrNull(r.Alias),
			types.Null, types.Null, types.Real(r.Cost), types.Int(int64(math.Round(r.Rows))),
		}
		if r.Parent > 0 {
			row[1] = types.Int(int64(r.Parent))
		}
		rows = append(rows, row)
	}
	return rows
}

func textOrNull(s string) types.Value {
	if s == "" {
		return types.Null
	}
	return types.Text(s)
}
