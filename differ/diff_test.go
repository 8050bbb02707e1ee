package differ

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// TestPlans runs the files of testdata. `start` makes the live state; `plan` shows the way from there to a declaration, and goes
// it on the simulator: a plan must reach a state in which nothing is left to say. Arguments of plan: policy=deny, destructive,
// nullable, collation=nocase, module=store, rows=(t,3,u,0), review (effects and hazards too), refused (the simulator refuses the
// plan), keep (the state reached is the next live state).
func TestPlans(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := newSimulator()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "start":
				s = newSimulator()
				s.run(t, d.Input)
				return "ok\n"
			case "plan":
				return planCase(t, s, d)
			}
			return fmt.Sprintf("unknown command %s", d.Cmd)
		})
	})
}

func planCase(t *testing.T, s *simulator, d *datadriven.TestData) string {
	stmts := parseStmts(t, d.Input)
	declared, err := catalog.Declare(stmts[0].(*ast.DeclareSchemaStmt), catalog.Origin{Source: ast.NewSource("schema.sql", d.Input)})
	require.NoError(t, err)
	opts := caseOptions(t, s, d)
	p, err := Diff(s.snapshot, declared, opts)
	if err != nil {
		return fmt.Sprintf("error %s: %s\n", types.CodeOf(err), err)
	}
	again, err := Diff(s.snapshot, declared, opts)
	require.NoError(t, err)
	require.Equal(t, p, again, "same input, same plan")
	require.Equal(t, p.Empty(), p.From == p.To, "empty exactly when the hashes are equal")

	reached := &simulator{snapshot: s.snapshot, env: opts.Env}
	err = reached.apply(t, p)
	if d.HasArg("refused") {
		require.Error(t, err)
	} else {
		require.NoError(t, err)
		checkReached(t, reached, declared, opts, p)
	}
	if d.HasArg("keep") {
		s.snapshot = reached.snapshot
	}
	return formatPlan(p, d.HasArg("review"))
}

// checkReached proves that a plan has led where it should: to its far end, with no statement left.
func checkReached(t testing.TB, s *simulator, declared *catalog.Declared, opts Options, p *Plan) {
	t.Helper()
	second, err := Diff(s.snapshot, declared, opts)
	require.NoError(t, err)
	require.Empty(t, second.Statements(), "second diff")
	if second.Empty() && p.To != "" {
		require.Equal(t, p.To, catalog.Hash(s.snapshot, p.Schema), "the far end")
	}
}

func caseOptions(t *testing.T, s *simulator, d *datadriven.TestData) Options {
	opts := Options{Env: s.env, AllowDestructive: d.HasArg("destructive")}
	opts.Env.Nullable = d.HasArg("nullable")
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "policy":
			opts.Policy = map[string]ast.RenamePolicy{"deny": ast.RenameDeny, "require-hint": ast.RenameRequireHint}[arg.Vals[0]]
		case "collation":
			opts.Env.Collation, _ = s.env.Types.Collation(arg.Vals[0])
		case "module":
			opts.Env.Module = arg.Vals[0]
		case "rows":
			opts.Stats.Rows = map[string]int64{}
			for i := 0; i < len(arg.Vals); i += 2 {
				n, err := strconv.ParseInt(arg.Vals[i+1], 10, 64)
				require.NoError(t, err)
				opts.Stats.Rows[arg.Vals[i]] = n
			}
		}
	}
	return opts
}

func formatPlan(p *Plan, review bool) string {
	var b strings.Builder
	for _, s := range p.Steps {
		b.WriteString(s.SQL + "\n")
		if !review {
			continue
		}
		fmt.Fprintf(&b, "    %s\n", s.Effect)
		for _, h := range s.Hazards {
			fmt.Fprintf(&b, "    %s %s: %s\n", h.Severity, h.Code, h.Message)
			if h.Avoid != "" {
				fmt.Fprintf(&b, "        %s\n", h.Avoid)
			}
		}
	}
	for _, n := range p.Notes {
		word := "finding"
		if n.Difference {
			word = "difference"
		}
		fmt.Fprintf(&b, "-- %s %s: %s\n", word, n.Kind, n.Message)
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}
