package differ

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
)

// TestLaws takes random schemas a and b, b with hints for what it renames. The plan from a to b runs, leads to b, and nothing is
// left to say then; from b to b there is nothing; the same input gives the same plan; the hashes are equal exactly when the plan
// is empty.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSimulator()
		opts := Options{Env: s.env, AllowDestructive: true, Whole: rapid.Bool().Draw(t, "whole")}
		schema := rapid.SampledFrom([]string{"main", "depot", `"my app"`}).Draw(t, "schema")
		var before map[string]bool
		for range 3 {
			g := newSchemaGen(t, before)
			sql := g.declaration(schema)
			migrate(t, s, declareRapid(t, sql), opts)
			before = g.present
			for logical, name := range g.spelled {
				if strings.HasPrefix(name, renamedPrefix) { // it goes by another name from here on
					delete(before, logical)
				}
			}
		}
	})
}

func declareRapid(t *rapid.T, sql string) *catalog.Declared {
	stmts, err := parse.Stmts(ast.NewSource("", sql))
	require.NoError(t, err, sql)
	d, err := catalog.Declare(stmts[0].(*ast.DeclareSchemaStmt), catalog.Origin{})
	require.NoError(t, err, sql)
	return d
}

// migrate goes one step and checks the laws.
func migrate(t *rapid.T, s *simulator, declared *catalog.Declared, opts Options) {
	resolved := declared.Resolve(opts.Env)
	if len(resolved.Faults) > 0 { // by chance, such as two UNIQUEs alike
		t.Skip(resolved.Faults[0].Err)
	}
	p, err := Diff(s.snapshot, declared, opts)
	require.NoError(t, err)
	again, err := Diff(s.snapshot, declared, opts)
	require.NoError(t, err)
	require.Equal(t, p, again, "same input, same plan")
	require.Equal(t, p.Empty(), p.From == p.To, "empty exactly when the hashes are equal")
	require.Equal(t, catalog.Hash(s.snapshot, p.Schema), p.From)

	for _, step := range p.Steps {
		t.Log(step.SQL)
	}
	live := s.snapshot
	s.edit(func(e *catalog.Edit) { e.AddSchema(p.Schema) })
	for i := range p.Steps {
		s.leaving = p.Steps[i+1:]
		stmts, err := parse.Stmts(ast.NewSource("", p.Steps[i].SQL))
		require.NoError(t, err)
		require.Equal(t, p.Steps[i].SQL, ast.Format(stmts[0]), "the text says what the tree says")
		require.NoError(t, s.exec(stmts[0]), "%s\nfrom\n%s", p.Steps[i].SQL, catalog.NormalForm(live, p.Schema))
		for _, before := range p.Steps[i].After {
			require.Less(t, before, i)
		}
	}
	second, err := Diff(s.snapshot, declared, opts)
	require.NoError(t, err)
	require.Empty(t, second.Statements(), "second diff from\n%s", catalog.NormalForm(s.snapshot, p.Schema))
	if second.Empty() {
		if p.To != catalog.Hash(s.snapshot, p.Schema) {
			c, err := compare(live, declared, opts)
			require.NoError(t, err)
			require.Equal(t, string(catalog.NormalForm(c.reached(), p.Schema)), string(catalog.NormalForm(s.snapshot, p.Schema)), "the far end")
		}
	}
}
