package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// ExplainRow is one operator of a plan as query_plan() and EXPLAIN show it (docs/reference/functions.md), parents first.
type ExplainRow struct {
	ID     int // from 1
	Parent int // 0 for the root
	Level  int // of subqueries around it
	// NodeType is the kind of node, Op how it works, Detail the rest in words.
	NodeType, Op, Detail string
	// Object and Alias are the table or function that is read and its name in the query; "" for none.
	Object, Alias string
	Cost, Rows    float64
	// Node is the operator itself, nil for a row that only leads to others. Actual is what it did, nil when it was not run.
	Node   Node
	Actual *Actual
}

// Actual is what an operator did in a run.
type Actual struct {
	Rows, Opens, Spills int64
	Time                time.Duration // of what lies below it too
}

// ExplainRows lists the operators of a plan.
func (p *Plan) ExplainRows() []ExplainRow {
	e := &explainer{}
	e.visit(p.Root, 0, 0)
	return e.rows
}

// Explain draws a plan as a tree, one operator a line.
func (p *Plan) Explain() string { return DrawText(p.ExplainRows()) }

// explainer numbers nodes as it meets them.
type explainer struct{ rows []ExplainRow }

func (e *explainer) visit(n Node, parent, level int) {
	own := describe(n)
	own.Node = n
	id := e.add(own, n.Expected(), parent, level)
	if w, ok := n.(*With); ok {
		for i, c := range w.CTEs {
			member := e.add(ExplainRow{NodeType: "CTE", Op: "member", Object: c.Name}, w.Bodies[i].Expected(), id, level)
			e.visit(w.Bodies[i], member, level)
		}
		e.visit(w.Body, id, level)
		return
	}
	eachInput(n, func(slot *Node) { e.visit(*slot, id, level) })
	seen := map[*Subplan]bool{} // a scan holds its filters twice: all of them, and those it evaluates
	eachSubplan(n, func(s *Subplan) {
		if seen[s] {
			return
		}
		seen[s] = true
		sub := e.add(ExplainRow{NodeType: "Subquery", Op: "subquery", Detail: correlation(s)}, s.Root.Expected(), id, level+1)
		e.visit(s.Root, sub, level+1)
	})
}

func correlation(s *Subplan) string {
	if len(s.Outer) == 0 && !s.Varies {
		return "once"
	}
	return "for each row"
}

func (e *explainer) add(r ExplainRow, est *Estimate, parent, level int) int {
	r.ID, r.Parent, r.Level, r.Cost, r.Rows = len(e.rows)+1, parent, level, est.Cost, est.Rows
	e.rows = append(e.rows, r)
	return r.ID
}

var joinWords = [...]string{InnerJoin: "inner", LeftJoin: "left", RightJoin: "right", FullJoin: "full", SemiJoin: "semi", AntiJoin: "anti"}
var methodWords = [...]string{LoopJoin: "loop", ApplyJoin: "apply", HashJoin: "hash"}
var setOpWords = [...]string{ast.Union: "union", ast.UnionAll: "union all", ast.Intersect: "intersect", ast.Except: "except", ast.Diff: "diff"}

// describe tells what a node does, without its place and estimates.
func describe(n Node) ExplainRow {
	switch n := n.(type) {
	case *Scan:
		return describeScan(n)
	case *Values:
		return ExplainRow{NodeType: "Values", Op: "values", Detail: fmt.Sprintf("%d × %d", len(n.Rows), len(n.Cols))}
	case *TableFunc:
		return ExplainRow{NodeType: "TableFunction", Op: "call", Object: n.Fn.Name, Detail: "(" + exprTexts(n.Args) + ")"}
	case *Filter:
		return ExplainRow{NodeType: "Filter", Op: "filter", Detail: conditionText(n.Conds)}
	case *Project:
		return ExplainRow{NodeType: "Project", Op: "project", Detail: itemTexts(n.Items)}
	case *Join:
		return describeJoin(n)
	case *Aggregate:
		return describeAggregate(n)
	case *Window:
		return describeWindow(n)
	case *Sort:
		r := ExplainRow{NodeType: "Sort", Op: "sort", Detail: keyTexts(n.Keys)}
		if n.Top != nil {
			r.Op = "top"
		}
		return r
	case *Limit:
		return ExplainRow{NodeType: "Limit", Op: "limit", Detail: limitText(n.Count, n.Offset)}
	case *Distinct:
		return ExplainRow{NodeType: "Distinct", Op: "distinct", Detail: strings.Join(columnNames(n.Output()[:n.Width]), ", ")}
	case *SetOp:
		return ExplainRow{NodeType: "SetOperation", Op: setOpWords[n.Op]}
	case *With:
		return ExplainRow{NodeType: "With", Op: "with"}
	case *CTERead:
		return ExplainRow{NodeType: "CTERead", Op: "read", Object: n.CTE.Name}
	case *Recursive:
		return ExplainRow{NodeType: "Recursive", Op: "recursive", Object: n.Work.Name}
	case *WorkRead:
		return ExplainRow{NodeType: "WorkRead", Op: "read working table", Object: n.Work.Name}
	}
	return describeChange(n)
}

// describeChange tells what a data change does.
func describeChange(n Node) ExplainRow {
	c, ok := n.(Change)
	if !ok {
		return ExplainRow{NodeType: fmt.Sprintf("%T", n)}
	}
	r := ExplainRow{NodeType: "Insert", Op: "insert into", Object: c.Writing().Rules.Table.Name}
	switch c.(type) {
	case *Update:
		r.NodeType, r.Op = "Update", "update"
	case *Delete:
		r.NodeType, r.Op = "Delete", "delete from"
	}
	if items := c.Writing().Returning; len(items) > 0 {
		r.Detail = "returning " + itemTexts(items)
	}
	return r
}

func describeScan(s *Scan) ExplainRow {
	r := ExplainRow{NodeType: "Scan", Op: "scan", Object: s.Table.Name, Alias: s.Name}
	if s.Committed {
		r.Object = committedSchema + "." + r.Object
	}
	residual := s.Filters
	if s.Access != nil {
		r.Detail = "access=" + s.Access.Plan.Explain
		residual = s.Access.Residual
	}
	if len(residual) > 0 {
		r.Detail = strings.TrimSpace(r.Detail + "  filter=" + conditionText(residual))
	}
	if s.Top != nil {
		r.Detail = strings.TrimSpace(r.Detail + "  limit")
	}
	return r
}

func describeJoin(j *Join) ExplainRow {
	r := ExplainRow{NodeType: "Join", Op: joinWords[j.Kind] + " " + methodWords[j.Method] + " join"}
	var conds []string
	for _, k := range j.Keys {
		conds = append(conds, exprText(k.L)+" = "+exprText(k.R))
	}
	for _, x := range j.On {
		conds = append(conds, exprText(x))
	}
	if len(conds) > 0 {
		r.Detail = "on " + strings.Join(conds, " and ")
	}
	return r
}

func describeAggregate(a *Aggregate) ExplainRow {
	r := ExplainRow{NodeType: "Aggregate", Op: "aggregate"}
	aggs := make([]string, len(a.Aggs))
	for i, g := range a.Aggs {
		aggs[i] = g.Name
	}
	r.Detail = strings.Join(aggs, ", ")
	if len(a.Keys) > 0 {
		r.Detail = strings.TrimSpace(r.Detail + " by " + itemTexts(a.Keys))
	}
	return r
}

func describeWindow(w *Window) ExplainRow {
	r := ExplainRow{NodeType: "Window", Op: "window"}
	names := make([]string, len(w.Calls))
	for i, c := range w.Calls {
		names[i] = c.Name
	}
	r.Detail = strings.Join(names, ", ")
	return r
}

func itemTexts(items []Item) string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = exprText(it.X)
		if name := ast.FormatName(it.Name); out[i] != name {
			out[i] += " as " + name
		}
	}
	return strings.Join(out, ", ")
}

func keyTexts(keys []SortKey) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = exprText(k.X)
		if k.Desc {
			out[i] += " desc"
		}
		if k.NullsLast {
			out[i] += " nulls last"
		}
	}
	return strings.Join(out, ", ")
}

func limitText(count, offset Expr) string {
	var words []string
	if count != nil {
		words = append(words, exprText(count))
	}
	if offset != nil {
		words = append(words, "offset", exprText(offset))
	}
	return strings.Join(words, " ")
}
