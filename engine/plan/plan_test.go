package plan_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
	"github.com/quereus/quereus-migrate/vtab/store"
)

// catalogOnly is a catalog without rows: definitions, a module that plans accesses, and row counts that a test sets.
type catalogOnly struct {
	cat    *catalog.Snapshot
	types  *types.Registry
	funcs  *function.Registry
	module *store.Module
	rows   map[string]int64
	params plan.ParamTypes
}

func newCatalog(t testing.TB) *catalogOnly {
	m, err := store.New(context.Background(), "memory", mem.Open(), store.Options{})
	require.NoError(t, err)
	return &catalogOnly{
		cat: catalog.NewSnapshot(), types: types.NewRegistry(), funcs: function.Builtins(), module: m, rows: map[string]int64{},
	}
}

func (c *catalogOnly) env(src *ast.Source) *plan.Env {
	return &plan.Env{
		Catalog: c.cat, Types: c.types, Functions: c.funcs, Source: src, Params: c.params, Eval: exec.EvalConst, Validate: true,
		Planner: func(string) vtab.AccessPlanner { return c.module },
		Rows: func(t *catalog.Table) (int64, bool) {
			n, ok := c.rows[t.Name]
			return n, ok
		},
	}
}

// define runs CREATE statements.
func (c *catalogOnly) define(sql string) error {
	stmts, err := parse.Stmts(ast.NewSource("", sql))
	if err != nil {
		return err
	}
	for _, s := range stmts {
		edit := c.cat.Edit()
		env := catalog.BuildEnv{Types: c.types, Module: "memory", IDs: edit}
		switch s := s.(type) {
		case *ast.CreateTableStmt:
			t, err := catalog.BuildTable(s, env)
			if err != nil {
				return err
			}
			edit.PutTable(stored(t))
		case *ast.CreateIndexStmt:
			t := c.cat.Table(catalog.MainSchema, s.Table.Name.Text).Clone()
			ix, err := catalog.BuildIndex(s, t, env)
			if err != nil {
				return err
			}
			t.Indexes = append(t.Indexes, ix)
			edit.PutTable(stored(t))
		case *ast.CreateViewStmt:
			edit.PutView(catalog.BuildView(s, env))
		default:
			return fmt.Errorf("a %T defines nothing", s)
		}
		c.cat = edit.Done()
	}
	return nil
}

// stored gives a table the physical facts that its module would have.
func stored(t *catalog.Table) *catalog.Table {
	layout := catalog.Layout{ID: 1}
	for i, col := range t.Columns {
		col.ID = catalog.ColumnID(i + 1)
		layout.Columns = append(layout.Columns, col.ID)
	}
	t.Storage = catalog.Storage{Incarnation: catalog.Incarnation(t.ID), Layouts: []catalog.Layout{layout}}
	return t
}

func (c *catalogOnly) prepare(sql string) (*plan.Plan, error) {
	src := ast.NewSource("", sql)
	stmts, err := parse.Stmts(src)
	if err != nil {
		return nil, err
	}
	return plan.PrepareStmt(stmts[0], c.env(src))
}

// TestPlans runs testdata: define (DDL), rows (table and count a line), plan (query → tree), columns (query → its columns with
// static types), and error (query → code, message, place).
func TestPlans(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		c := newCatalog(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "define":
				require.NoError(t, c.define(d.Input), d.Pos)
				return ""
			case "rows":
				for line := range strings.Lines(d.Input) {
					var name string
					var n int64
					_, err := fmt.Sscan(line, &name, &n)
					require.NoError(t, err, d.Pos)
					c.rows[name] = n
				}
				return ""
			}
			p, err := c.prepare(d.Input)
			if d.Cmd == "error" {
				return errorText(t, err, d.Pos)
			}
			require.NoError(t, err, d.Pos)
			if d.Cmd == "columns" {
				return columnsText(p.Columns)
			}
			require.Equal(t, "plan", d.Cmd, d.Pos)
			return p.Explain()
		})
	})
}

func errorText(t *testing.T, err error, pos string) string {
	require.Error(t, err, pos)
	var e *types.Error
	require.True(t, errors.As(err, &e), pos)
	text := fmt.Sprintf("%s: %s\n", e.Code, e.Message)
	if e.Hint != "" {
		text += "hint: " + e.Hint + "\n"
	}
	if e.Line > 0 {
		text += fmt.Sprintf("at line %d, column %d\n", e.Line, e.Column)
	}
	return text
}

func columnsText(cols []plan.Column) string {
	var b strings.Builder
	for _, c := range cols {
		b.WriteString(c.Name + " " + c.Type.Name)
		if !c.Nullable {
			b.WriteString(" not null")
		}
		if k := c.Collation; k.Collation != nil && k.Collation != types.Binary {
			fmt.Fprintf(&b, " collate %s rank %d", k.Collation.Name, k.Rank)
		}
		b.WriteString("\n")
	}
	return b.String()
}
