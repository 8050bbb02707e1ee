package engine

import (
	"context"
	"math"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// explain shows the plan of a statement: as it is expected to run, or with ANALYZE as it ran. Faults are those of preparing and running it.
func (c *Conn) explain(ctx context.Context, src *ast.Source, s *ast.ExplainStmt, p Params) (*Rows, error) {
	draw, err := explainForm(s.As)
	if err != nil {
		return nil, err
	}
	var shown []plan.ExplainRow
	if s.Analyze {
		shown, err = c.explainRun(ctx, src, s.Stmt, p)
	} else {
		shown, err = c.explainPlan(ctx, src, s.Stmt, p)
	}
	if err != nil {
		return nil, err
	}
	if draw == nil {
		return explainedRows(shown, s.Analyze), nil
	}
	text, err := draw(shown)
	if err != nil {
		return nil, err
	}
	return fixedRows([]plan.Column{{Name: "plan", Type: types.TypeText}}, []types.Row{{types.Text(text)}}), nil
}

// explainForm finds what draws a plan; nil for rows.
func explainForm(as ast.Name) (draw func([]plan.ExplainRow) (string, error), err error) {
	always := func(f func([]plan.ExplainRow) string) func([]plan.ExplainRow) (string, error) {
		return func(rows []plan.ExplainRow) (string, error) { return f(rows), nil }
	}
	switch types.Fold(as.Text) {
	case "":
		return nil, nil
	case "text":
		return always(plan.DrawText), nil
	case "json":
		return plan.DrawJSON, nil
	case "mermaid":
		return always(plan.DrawMermaid), nil
	case "dot":
		return always(plan.DrawDot), nil
	}
	return nil, types.Errorf(types.ERROR, "EXPLAIN AS %s is not known: it may be text, json, mermaid or dot", as.Text)
}

func (c *Conn) explainPlan(ctx context.Context, src *ast.Source, s ast.Stmt, p Params) ([]plan.ExplainRow, error) {
	cat, err := c.catalog()
	if err != nil {
		return nil, err
	}
	env := c.planEnv(ctx, cat)
	env.Source, env.Params = src, p.types()
	pl, err := plan.PrepareStmt(s, env)
	if err != nil {
		return nil, err
	}
	return pl.ExplainRows(), nil
}

// explainRun runs a statement to its end, drops its rows, and tells what its operators did. A data change stays made.
func (c *Conn) explainRun(ctx context.Context, src *ast.Source, s ast.Stmt, p Params) (shown []plan.ExplainRow, err error) {
	read, err := c.read()
	if err != nil {
		return nil, err
	}
	pl, err := c.prepare(ctx, read, src, s, p.types())
	if err == nil && !pl.Writes {
		shown, err = measure(ctx, pl, c.runtime(&read.source, read.cat(), p))
	}
	if err = read.close(err); err != nil || !pl.Writes {
		return shown, err
	}
	err = c.inTx(ctx, func(t *tx) error {
		read := t.reading()
		pl, err := c.prepare(ctx, read, src, s, p.types())
		if err == nil {
			shown, err = measure(ctx, pl, t.runtime(read, p))
		}
		return read.close(err)
	})
	return shown, err
}

// measure runs a plan and gives its operators with what they did.
func measure(ctx context.Context, pl *plan.Plan, rt *exec.Runtime) ([]plan.ExplainRow, error) {
	program, measures, err := exec.BuildMeasured(pl)
	if err != nil {
		return nil, err
	}
	rows, err := program.Run(ctx, rt)
	if err != nil {
		return nil, err
	}
	for row := types.Row(nil); err == nil; {
		if row, err = rows.Next(); row == nil {
			break
		}
	}
	if e := rows.Close(); err == nil {
		err = e
	}
	shown := pl.ExplainRows()
	for i := range shown {
		if m := measures[shown[i].Node]; m != nil {
			shown[i].Actual = &plan.Actual{Rows: m.Rows, Opens: m.Opens, Spills: m.Spills, Time: m.Time}
		}
	}
	return shown, err
}

// explainedRows gives operators as rows; what was measured stands behind what query_plan() has.
func explainedRows(shown []plan.ExplainRow, measured bool) *Rows {
	var columns []plan.Column
	for _, col := range function.PlanColumns {
		columns = append(columns, plan.Column{Name: col.Name, Type: col.Type, Nullable: col.Nullable})
	}
	rows := planRows(shown)
	if !measured {
		return fixedRows(columns, rows)
	}
	for _, name := range []string{"actual_rows", "opens", "time_ms", "spills"} {
		columns = append(columns, plan.Column{Name: name, Type: types.TypeNumeric, Nullable: true})
	}
	for i, r := range shown {
		values := make(types.Row, 4)
		if a := r.Actual; a != nil {
			ms := types.Real(float64(a.Time.Microseconds()) / 1000)
			values = types.Row{types.Int(a.Rows), types.Int(a.Opens), ms, types.Int(a.Spills)}
		}
		rows[i] = append(rows[i], values...)
	}
	return fixedRows(columns, rows)
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
	return planRows(pl.ExplainRows()), nil
}

// planRows gives operators as function.PlanColumns lays them out.
func planRows(shown []plan.ExplainRow) []types.Row {
	var rows []types.Row
	for _, r := range shown {
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
