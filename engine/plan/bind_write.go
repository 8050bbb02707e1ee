package plan

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// changeState is what a Binder knows of the data changes of its statement.
//
// A change that stands as a relation runs once, whatever reads it, and before anything that might read its rows. So it is taken out
// of its place and becomes a nameless member of the statement's leading WITH, which the place then reads.
type changeState struct {
	// allowed is set for a statement; a view body or a stored expression changes nothing.
	allowed bool
	// leading is the statement's own WITH, nil for none.
	leading *ast.With
	// within is the clause of an UPDATE or DELETE being bound in which no change may stand, "" for none.
	within string
	// waiting are changes that are to be put into the leading WITH; lasting are the members of it, those changes included.
	waiting []*member
	lasting map[*CTE]bool
	// bound are all changes of the statement.
	bound []Change
}

// PrepareStmt binds and plans a statement: a query, or INSERT, UPDATE or DELETE. Faults are *types.Error with line and column. What
// changes rows has Plan.Writes set, a query too.
func PrepareStmt(stmt ast.Stmt, env *Env) (*Plan, error) {
	b := NewBinder(env)
	b.change.allowed = true
	var root Node
	switch s := stmt.(type) {
	case *ast.SelectStmt:
		b.change.leading = s.With
		root = b.query(s, nil)
	case *ast.InsertStmt:
		b.change.leading = s.With
		root = b.insertStmt(s)
	case *ast.UpdateStmt:
		b.change.leading = s.With
		root = b.updateStmt(s)
	case *ast.DeleteStmt:
		b.change.leading = s.With
		root = b.deleteStmt(s)
	default:
		return nil, types.Errorf(types.INTERNAL, "plan: a statement of kind %T is no query or data change", stmt)
	}
	if b.err != nil {
		return nil, b.err
	}
	return b.Finish(root)
}

// changeTerm binds the data change that a query expression consists of; false when it is none.
func (b *Binder) changeTerm(t ast.QueryTerm) (kind string, bind func() Node, ok bool) {
	switch t := t.(type) {
	case *ast.InsertStmt:
		return "INSERT", func() Node { return b.insertStmt(t) }, true
	case *ast.UpdateStmt:
		return "UPDATE", func() Node { return b.updateStmt(t) }, true
	case *ast.DeleteStmt:
		return "DELETE", func() Node { return b.deleteStmt(t) }, true
	case *ast.ParenQuery:
		if t.Query.With == nil {
			return b.changeTerm(t.Query.Body)
		}
	}
	return "", nil, false
}

// changeQuery binds a query that consists of a data change with a WITH of its own, which then belongs to the change.
func (b *Binder) changeQuery(q *ast.SelectStmt) (n Node, ok bool) {
	kind, bind, ok := b.changeTerm(q.Body)
	if !ok || q.With == nil || q.With == b.change.leading {
		return nil, false
	}
	return b.relationChange(q.Body.Pos(), kind, func() Node { return b.withMembers(q.With, nil, bind) }), true
}

// relationChange binds a data change that stands as a relation, and makes a node that reads its rows.
func (b *Binder) relationChange(at ast.Pos, kind string, bind func() Node) Node {
	switch {
	case b.stored:
		b.fail(at, types.ERROR, "Non-deterministic expression not allowed in %s: it holds a data change (%s)", b.parameterless, kind)
		return oneRow()
	case !b.change.allowed || len(b.views) > 0:
		b.fail(at, types.ERROR, "%s cannot be used as a view body", kind)
		return oneRow()
	case b.change.within != "":
		b.fail(at, types.UNSUPPORTED, "a data-modifying query (%s) in %s is not supported; put it into the statement's leading WITH clause",
			kind, b.change.within)
		return oneRow()
	}
	n := bind()
	b.refuseInnerMembers(at, kind, n)
	m := &member{cte: &CTE{Name: kind, outside: b.readsOutside(n), Change: true}, body: n, cols: n.Output()}
	b.change.waiting = append(b.change.waiting, m)
	b.outlast(m.cte)
	return b.readMember(m)
}

func (b *Binder) outlast(c *CTE) {
	if b.change.lasting == nil {
		b.change.lasting = map[*CTE]bool{}
	}
	b.change.lasting[c] = true
}

// refuseInnerMembers refuses a change that reads what only its place can read: a member of an inner WITH, or the working table of a
// recursion.
func (b *Binder) refuseInnerMembers(at ast.Pos, kind string, n Node) {
	own := map[*CTE]bool{}
	WalkNode(n, func(n Node) {
		if w, ok := n.(*With); ok {
			for _, c := range w.CTEs {
				own[c] = true
			}
		}
	})
	inner := ""
	WalkNode(n, func(n Node) {
		if r, ok := n.(*CTERead); ok && !own[r.CTE] && !b.change.lasting[r.CTE] {
			inner = r.CTE.Name
		}
	})
	if inner != "" || readsWork(n) {
		b.fail(at, types.UNSUPPORTED, "a data change (%s) in a subquery that reads a member of an inner WITH clause is not supported: %s", kind, inner)
	}
}

// refuseChangingMember refuses a member of WITH that changes data, outside of the statement's leading WITH.
func (b *Binder) refuseChangingMember(m *ast.CTE) {
	if kind, _, ok := b.changeTerm(m.Query.Body); ok {
		b.fail(m.Name.Pos(), types.ERROR, "WITH member '%s' is data-modifying (%s), which is only allowed in a statement's own leading WITH clause",
			m.Name.Text, kind)
	}
}

// takeChanges gives the changes that wait for a place in the leading WITH.
func (b *Binder) takeChanges() []*member {
	waiting := b.change.waiting
	b.change.waiting = nil
	return waiting
}

// aroundChanges puts the changes of a statement without a leading WITH around it.
func (b *Binder) aroundChanges(root Node) Node {
	if waiting := b.takeChanges(); len(waiting) > 0 {
		w := &With{Body: root}
		w.add(waiting...)
		return w
	}
	return root
}

// changeStmt binds a data change with the clauses around it. Tags are carried with the statement; only reserved ones are judged.
func (b *Binder) changeStmt(with *ast.With, clauses *ast.WriteClauses, bind func() Node) Node {
	defer b.enterPath(clauses.SchemaPath)()
	if err := catalog.CheckReservedTags(catalog.OnStatement, catalog.BuildTags(clauses.Tags)); err != nil {
		b.failWith(ast.NoPos, err)
	}
	if with != nil {
		return b.withMembers(with, nil, bind)
	}
	return bind()
}

// changed notes a bound change, and gives it.
func (b *Binder) changed(c Change) Node {
	b.change.bound = append(b.change.bound, c)
	return c
}

// mergeWrites makes an UPDATE look at its rows anew where another part of the statement may have written them.
func (b *Binder) mergeWrites() {
	for _, c := range b.change.bound {
		u, ok := c.(*Update)
		if !ok || !b.writtenElsewhere(c) {
			continue
		}
		t := u.Rules.Table
		u.Present = b.probe(&Probe{Table: t, Columns: t.KeyColumns(), Rows: true}, b.tableColumns(t))
	}
}

// writtenElsewhere reports whether another change of the statement may write the table that one writes.
func (b *Binder) writtenElsewhere(c Change) bool {
	for _, other := range b.change.bound {
		if other == c {
			continue
		}
		for _, r := range other.Writing().All {
			if r.Table == c.Writing().Rules.Table {
				return true
			}
		}
	}
	return false
}

// unchanging binds a clause in which no data change may stand.
func (b *Binder) unchanging(clause string, bind func()) {
	saved := b.change.within
	b.change.within = clause
	bind()
	b.change.within = saved
}

// target finds the table that a change writes, nil after a fault.
func (b *Binder) target(t *ast.Target) *catalog.Table {
	name := t.Name.Name.Text
	switch {
	case t.Query != nil:
		b.fail(t.Pos(), types.UNSUPPORTED, "writing through a query is not supported yet: '%s'", t.Alias.Text)
		return nil
	case t.Name.Schema.IsZero() && b.ctes.find(name) != nil:
		b.fail(t.Pos(), types.UNSUPPORTED, "writing through a member of WITH is not supported yet: '%s'", name)
		return nil
	case types.Fold(t.Name.Schema.Text) == committedSchema:
		b.fail(t.Pos(), types.ERROR, "Cannot modify committed-state table '%s.%s'", committedSchema, name)
		return nil
	}
	rel := b.relation(t.Name, t.Pos())
	switch rel := rel.(type) {
	case *catalog.View:
		b.fail(t.Pos(), types.UNSUPPORTED, "writing through a view is not supported yet: '%s'", rel.Name)
	case *catalog.Table:
		if rel.Maintained == nil {
			return rel
		}
		b.fail(t.Pos(), types.UNSUPPORTED, "writing through a maintained table is not supported yet: '%s'", rel.Name)
	}
	return nil
}

// targetName gives the name and schema under which a change's expressions know the target.
func targetName(s *ast.Target, t *catalog.Table) (name, schema string) {
	if !s.Alias.IsZero() {
		return s.Alias.Text, ""
	}
	return t.Name, t.Schema
}

// writableColumn finds a column that a change assigns, -1 after a fault. clause words the message of a column that there is not.
func (b *Binder) writableColumn(t *catalog.Table, n ast.Name, verb, clause string) int {
	i := t.ColumnIndex(n.Text)
	switch {
	case i < 0:
		b.noColumn(t, n, "Column '%s' not found in table '%s'%s", n.Text, t.Name, clause)
	case t.Columns[i].Generated != nil:
		b.fail(n.Pos(), types.ERROR, "Cannot %s generated column '%s'", verb, n.Text)
		return -1
	}
	return i
}
