package differ

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// simulator carries schema statements out on a catalog without rows: enough of each to see whether a plan reaches its target. It
// refuses what names nothing, what takes a name twice and drops of what is still read, so that a plan in a wrong order
// fails.
type simulator struct {
	snapshot *catalog.Snapshot
	env      catalog.BuildEnv
	// leaving are the steps still to run: drops do not look at what these drop.
	leaving []Step
}

func newSimulator() *simulator {
	return &simulator{snapshot: catalog.NewSnapshot(), env: catalog.BuildEnv{Types: types.NewRegistry(), Module: "memory"}}
}

func parseStmts(t testing.TB, sql string) []ast.Stmt {
	t.Helper()
	stmts, err := parse.Stmts(ast.NewSource("", sql))
	require.NoError(t, err, sql)
	return stmts
}

// declare reads a declaration.
func declare(t testing.TB, sql string) *catalog.Declared {
	t.Helper()
	stmts := parseStmts(t, sql)
	require.Len(t, stmts, 1)
	d, err := catalog.Declare(stmts[0].(*ast.DeclareSchemaStmt), catalog.Origin{})
	require.NoError(t, err)
	return d
}

// run executes statements given as text.
func (s *simulator) run(t testing.TB, sql string) {
	t.Helper()
	for _, stmt := range parseStmts(t, sql) {
		require.NoError(t, s.exec(stmt), ast.Format(stmt))
	}
}

// apply runs a plan, from its texts.
func (s *simulator) apply(t testing.TB, p *Plan) error {
	t.Helper()
	e := s.snapshot.Edit()
	e.AddSchema(p.Schema)
	s.snapshot = e.Done()
	for i := range p.Steps {
		s.leaving = p.Steps[i+1:]
		stmts := parseStmts(t, p.Steps[i].SQL)
		if err := s.exec(stmts[0]); err != nil {
			return types.Wrapf(types.ERROR, err, "step %d: %s", i, p.Steps[i].SQL)
		}
	}
	s.leaving = nil
	return nil
}

func (s *simulator) names() *catalog.Names {
	return catalog.NewNames(s.snapshot, []string{catalog.MainSchema}, nil)
}

func schemaOf(q ast.QName) string {
	if q.Schema.IsZero() {
		return catalog.MainSchema
	}
	return types.Fold(q.Schema.Text)
}

func (s *simulator) edit(f func(e *catalog.Edit)) {
	e := s.snapshot.Edit()
	f(e)
	s.snapshot = e.Done()
}

func (s *simulator) put(t *catalog.Table) { s.edit(func(e *catalog.Edit) { e.PutTable(t) }) }

func refused(format string, args ...any) error { return types.Errorf(types.ERROR, format, args...) }

func (s *simulator) exec(stmt ast.Stmt) error {
	e := s.snapshot.Edit()
	s.env.IDs, s.env.Resolver = e, s.names()
	defer func() { s.edit(func(later *catalog.Edit) { later.SetAllocators(e.Done().Allocators()) }) }()
	switch n := stmt.(type) {
	case *ast.CreateTableStmt:
		return s.createTable(n)
	case *ast.CreateViewStmt:
		if err := s.readable(n.Query, schemaOf(n.Name)); err != nil {
			return err
		}
		v := catalog.BuildView(n, s.env)
		return s.relation(v.Schema, v.Name, func(e *catalog.Edit) { e.PutView(v) })
	case *ast.CreateMaterializedViewStmt:
		return s.createMaterialized(n)
	case *ast.CreateIndexStmt:
		return s.createIndex(n)
	case *ast.CreateAssertionStmt:
		a := catalog.BuildAssertion(n, s.env)
		if s.snapshot.Assertion(a.Schema, a.Name) != nil {
			return refused("assertion %s exists", a.Name)
		}
		s.edit(func(e *catalog.Edit) { e.PutAssertion(a) })
	case *ast.DropStmt:
		return s.drop(n)
	case *ast.AlterStmt:
		return s.alter(n)
	default:
		return refused("cannot simulate %T", stmt)
	}
	return nil
}

func (s *simulator) drop(n *ast.DropStmt) error {
	schema, name := schemaOf(n.Name), n.Name.Name.Text
	switch n.Kind {
	case ast.AssertionObject:
		s.edit(func(e *catalog.Edit) { e.DropAssertion(schema, name) })
	case ast.IndexObject:
		if e := s.snapshot.Index(schema, name); e != nil {
			t := e.Table.Clone()
			t.Indexes = slices.DeleteFunc(t.Indexes, func(ix *catalog.Index) bool { return ix == e.Index })
			s.put(t)
		}
	case ast.ViewObject, ast.TableObject:
		if s.snapshot.Relation(schema, name) == nil {
			return nil
		}
		if by := s.readerOf(schema, name, ""); by != "" {
			return refused("cannot drop %s: %s reads it", name, by)
		}
		s.edit(func(e *catalog.Edit) { e.DropRelation(schema, name) })
	}
	return nil
}

// isLeaving reports whether the plan drops a table, or a constraint of it, later on.
func (s *simulator) isLeaving(t *catalog.Table, constraint string) bool {
	for _, step := range s.leaving {
		switch n := step.Stmt.(type) {
		case *ast.DropStmt:
			if n.Kind == ast.TableObject && types.EqualFold(n.Name.Name.Text, t.Name) {
				return true
			}
		case *ast.AlterStmt:
			a, ok := n.Action.(*ast.DropConstraint)
			if ok && constraint != "" && types.EqualFold(n.Name.Name.Text, t.Name) && types.EqualFold(a.Name.Text, constraint) {
				return true
			}
		}
	}
	return false
}

func (s *simulator) createIndex(n *ast.CreateIndexStmt) error {
	t := s.snapshot.Table(schemaOf(n.Table), n.Table.Name.Text)
	if t == nil {
		return refused("no such table: %s", n.Table.Name.Text)
	}
	if _, err := s.snapshot.CheckIndexName(t, n, false); err != nil {
		return err
	}
	ix, err := catalog.BuildIndex(n, t, s.env)
	if err != nil {
		return err
	}
	t = t.Clone()
	t.Indexes = append(t.Indexes, ix)
	s.put(t)
	return nil
}

func (s *simulator) relation(schema, name string, put func(*catalog.Edit)) error {
	if s.snapshot.Relation(schema, name) != nil {
		return refused("%s exists", name)
	}
	s.edit(put)
	return nil
}

func (s *simulator) createTable(n *ast.CreateTableStmt) error {
	t, err := catalog.BuildTable(n, s.env)
	if err != nil {
		return err
	}
	if t.Maintained != nil {
		if err := s.readable(t.Maintained.Body, t.Schema); err != nil {
			return err
		}
	}
	if err := s.resolves(t); err != nil {
		return err
	}
	return s.relation(t.Schema, t.Name, func(e *catalog.Edit) { e.PutTable(t) })
}
