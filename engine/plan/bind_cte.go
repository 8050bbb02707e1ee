package plan

import (
	"strconv"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// cteScope are the members of one WITH that may be read, and the scope around it.
type cteScope struct {
	outer   *cteScope
	members map[string]*member
	level   int // Binder.nested where the WITH stands
}

// member is a member of WITH in scope: a query, or while its recursive step is bound, its working table.
type member struct {
	cte   *CTE
	body  Node
	work  *WorkTable
	cols  []Column
	level int
}

// find gives the member of that name, innermost WITH first; nil when there is none.
func (s *cteScope) find(name string) *member {
	for fold := types.Fold(name); s != nil; s = s.outer {
		if m := s.members[fold]; m != nil {
			return m
		}
	}
	return nil
}

// readMember makes a node that reads a member.
func (b *Binder) readMember(m *member) Node {
	if m.work != nil {
		return &WorkRead{Work: m.work, Cols: b.renew(m.cols)}
	}
	m.cte.Reads++
	if b.nested > m.level {
		m.cte.Nested++
	}
	return &CTERead{CTE: m.cte, Cols: b.renew(m.cols)}
}

// with binds WITH and the query behind it.
func (b *Binder) with(q *ast.SelectStmt, outer *Scope) Node {
	return b.withMembers(q.With, outer, func() Node { return b.body(q, outer) })
}

// withMembers binds WITH and what stands behind it. A member sees those before it. The statement's own WITH takes the data changes of
// the statement in, each in front of what may read it.
func (b *Binder) withMembers(with *ast.With, outer *Scope, body func() Node) Node {
	saved := b.ctes
	defer func() { b.ctes = saved }()
	b.ctes = &cteScope{outer: saved, members: map[string]*member{}, level: b.nested}
	leading := with == b.change.leading
	w := &With{}
	for i := range with.Members {
		m := &with.Members[i]
		if !leading {
			b.refuseChangingMember(m)
			w.add(b.member(with, m, outer))
			continue
		}
		c := b.member(with, m, outer)
		b.outlast(c.cte)
		w.add(b.takeChanges()...)
		w.add(c)
	}
	w.Body = body()
	if leading {
		w.add(b.takeChanges()...)
	}
	return w
}

// member binds a member and makes it readable.
func (b *Binder) member(w *ast.With, m *ast.CTE, outer *Scope) *member {
	fold := types.Fold(m.Name.Text)
	if b.ctes.members[fold] != nil {
		b.fail(m.Name.Pos(), types.ERROR, "Duplicate CTE name '%s' in WITH clause", m.Name.Text)
	}
	c := &CTE{Name: m.Name.Text, Materialized: m.Materialized}
	var body Node
	if op, ok := m.Query.Body.(*ast.SetOp); ok && w.Recursive && isRecursive(m, op) {
		body = b.recursive(w, m, op, outer)
	} else {
		body = b.query(m.Query, outer)
	}
	cols := body.Output()
	if names := b.memberNames(m, cols, "CTE"); names != nil {
		cols = append([]Column(nil), cols...)
		for i := range cols {
			cols[i].Name = names[i]
		}
	}
	c.outside = b.readsOutside(body)
	found := &member{cte: c, body: body, cols: cols, level: b.ctes.level}
	b.ctes.members[fold] = found
	return found
}

// memberNames gives the names of a member's column list, nil without one.
func (b *Binder) memberNames(m *ast.CTE, cols []Column, kind string) []string {
	if len(m.Columns) == 0 {
		return nil
	}
	if len(m.Columns) != len(cols) {
		b.fail(m.Name.Pos(), types.ERROR, "%s '%s' has %d declared columns but query produces %d", kind, m.Name.Text, len(m.Columns), len(cols))
		return nil
	}
	names := make([]string, len(cols))
	for i, n := range m.Columns {
		names[i] = n.Text
	}
	return names
}

// isRecursive reports whether a member under RECURSIVE is to be read as a base and a step: it reads itself, or it cannot be a step
// what stands in the place of one.
func isRecursive(m *ast.CTE, op *ast.SetOp) bool {
	_, isValues := op.R.(*ast.ValuesClause)
	return readsItself(m) || isValues && (op.Op == ast.Union || op.Op == ast.UnionAll)
}

// readsItself reports whether a member's body names the member as a source. A member of an inner WITH hides the name.
func readsItself(m *ast.CTE) bool {
	fold := types.Fold(m.Name.Text)
	found := false
	ast.Walk(m.Query, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectStmt:
			if n.With != nil && declares(n.With, fold) {
				return false
			}
		case *ast.TableRef:
			found = found || n.Name.Schema.IsZero() && types.Fold(n.Name.Name.Text) == fold
		case *ast.In:
			found = found || n.Table != nil && n.Table.Schema.IsZero() && types.Fold(n.Table.Name.Text) == fold
		}
		return !found
	})
	return found
}

func declares(w *ast.With, fold string) bool {
	for i := range w.Members {
		if types.Fold(w.Members[i].Name.Text) == fold {
			return true
		}
	}
	return false
}

// recursive binds a member that reads itself: base UNION [ALL] step (docs/reference/language.md).
func (b *Binder) recursive(w *ast.With, m *ast.CTE, op *ast.SetOp, outer *Scope) Node {
	defer b.enterPath(resolve.LeadingPath(m.Query.Body))()
	if op.Op != ast.Union && op.Op != ast.UnionAll || len(op.Flags) > 0 {
		b.fail(m.Name.Pos(), types.ERROR, "Recursive CTE '%s' must use UNION or UNION ALL", m.Name.Text)
		return oneRow()
	}
	if kind := termKind(op.R); kind != "select" {
		b.fail(m.Name.Pos(), types.UNSUPPORTED, "Recursive CTE '%s' recursive leg must be a SELECT (got %s)", m.Name.Text, kind)
		return oneRow()
	}
	if len(m.Query.OrderBy) > 0 {
		b.fail(m.Name.Pos(), types.UNSUPPORTED, "Recursive CTE '%s' cannot be ordered as a whole; order the query that reads it", m.Name.Text)
	}
	if m.Query.With != nil {
		return b.withMembers(m.Query.With, outer, func() Node { return b.recursion(w, m, op, outer) })
	}
	return b.recursion(w, m, op, outer)
}

// recursion binds the legs of a recursive member.
func (b *Binder) recursion(w *ast.With, m *ast.CTE, op *ast.SetOp, outer *Scope) Node {
	r := &Recursive{Work: &WorkTable{Name: m.Name.Text}, All: op.Op == ast.UnionAll, MaxRounds: b.maxRounds(w)}
	r.Base = b.term(op.L, outer)
	b.step(r, m, op.R, outer)
	b.recursiveLimit(r, m.Query)
	return r
}

// termKind names the kind of a query term; parentheses mean nothing.
func termKind(t ast.QueryTerm) string {
	switch t := t.(type) {
	case *ast.ParenQuery:
		return termKind(t.Query.Body)
	case *ast.ValuesClause:
		return "values"
	case *ast.SetOp:
		return "set operation"
	case *ast.InsertStmt:
		return "insert"
	case *ast.UpdateStmt:
		return "update"
	case *ast.DeleteStmt:
		return "delete"
	}
	return "select"
}

// maxRounds reads option (maxrecursion n).
func (b *Binder) maxRounds(w *ast.With) int64 {
	if w.MaxRecursion == "" {
		return b.env.Limits.Of(limit.Iterations)
	}
	n, err := strconv.ParseInt(w.MaxRecursion, 10, 64)
	if err != nil {
		b.fail(w.Pos(), types.ERROR, "maxrecursion is too large: %s", w.MaxRecursion)
	}
	return n
}

// step binds the recursive leg over the working table. The table has the types of the base, merged with those of the step: when
// the step widens one, it is bound again over the wider table.
func (b *Binder) step(r *Recursive, m *ast.CTE, step ast.QueryTerm, outer *Scope) {
	base := r.Base.Output()
	r.Cols = b.renew(base)
	for i := range r.Cols {
		r.Cols[i].Nullable = true
	}
	if names := b.memberNames(m, r.Cols, "Recursive CTE"); names != nil {
		for i := range r.Cols {
			r.Cols[i].Name = names[i]
		}
	}
	b.nested++ // the step runs once a round
	defer func() { b.nested-- }()
	for widened := true; widened && b.err == nil; {
		b.ctes.members[types.Fold(m.Name.Text)] = &member{work: r.Work, cols: r.Cols}
		r.Step = b.term(step, outer)
		delete(b.ctes.members, types.Fold(m.Name.Text))
		widened = b.widen(r, m)
	}
}

// widen merges the types of the step into those of the whole and reports whether that changed any.
func (b *Binder) widen(r *Recursive, m *ast.CTE) bool {
	cols := r.Step.Output()
	if len(cols) != len(r.Cols) {
		b.fail(m.Name.Pos(), types.ERROR, "Recursive CTE '%s' column count mismatch: base has %d, step has %d", m.Name.Text, len(r.Cols), len(cols))
		return false
	}
	widened := false
	for i, c := range cols {
		t := types.CommonType(r.Cols[i].Type, c.Type)
		widened = widened || t != r.Cols[i].Type
		r.Cols[i].Type = t
	}
	return widened
}

// recursiveLimit binds LIMIT and OFFSET behind the step, which bound the whole member.
func (b *Binder) recursiveLimit(r *Recursive, q *ast.SelectStmt) {
	if q.Limit != nil {
		r.Count = b.expr(q.Limit, nil)
	}
	if q.Offset != nil {
		r.Offset = b.expr(q.Offset, nil)
	}
}
