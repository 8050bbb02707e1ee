package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/findings"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/differ/lint"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/golden"
	"github.com/quereus/quereus-migrate/types"
)

type testOptions struct {
	paths  []string
	update bool
	disk   bool
	format choice
}

func newTestCmd(a *app) *cobra.Command {
	o := testOptions{format: newChoice(findingFormats...)}
	cmd := &cobra.Command{
		Use:         "test PATH...",
		Annotations: map[string]string{takesPaths: "tests"},
		Short:       "Run golden tests of migrations",
		Long: `test runs migrations on databases of its own, in memory, and compares what comes of them with what is written down: the plan with
effects and hazards, the definitions and the rows at the end.

A PATH is a folder or a .txtar archive with the files start.sql, target.sql (or target.paths, which names schema files), plan.txt,
end.sql, end-rows.txt and others; a .test file, which is a list of steps and answers; or a folder with any of these in it.
docs/testing.md describes both.

--update writes down what comes instead; look at the difference before you keep it.`,
		Example: `  quereus-migrate test migrations/tests
  quereus-migrate test --update migrations/tests/split-name
  quereus-migrate test --format junit migrations/tests > report.xml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.paths = args; len(args) == 0 {
				return &usageError{"say what to run: a PATH"}
			}
			return runTest(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.update, "update", false, "write the answers that come into the files")
	f.BoolVar(&o.disk, "disk", false, "run on the storage engine of database directories, opened again after each step")
	o.format.add(cmd, "format", "form of the results")
	return cmd
}

// goldenTest is one test: a scenario, or a file of cases.
type goldenTest struct {
	path     string
	scenario *golden.Scenario
	text     []byte // of a file of cases
	results  []golden.Result
}

func runTest(ctx context.Context, a *app, o testOptions) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	tests, err := findTests(o.paths)
	if err != nil {
		return err
	}
	failed := 0
	var found []lint.Finding
	for _, t := range tests {
		if err := t.run(ctx, o); err != nil {
			return types.Wrapf(types.ERROR, err, "%s", t.path)
		}
		bad := t.findings()
		if len(bad) > 0 {
			failed++
		}
		found = append(found, bad...)
		if o.update {
			if err := t.update(); err != nil {
				return err
			}
		}
	}
	if o.update {
		_, err := fmt.Fprintf(a.Err, "%s, %d of them written anew\n", counted(len(tests), "test", "tests"), failed)
		return err
	}
	return a.tellTests(o.format.String(), len(tests), failed, found)
}

// tellTests writes the results. The error is that of tests that failed.
func (a *app) tellTests(format string, all, failed int, found []lint.Finding) error {
	if format != "text" {
		if err := findings.Writers[format](a.Out, &findings.Report{Tool: "quereus-migrate", Version: version(), Findings: found}); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			if _, err := fmt.Fprintf(a.Out, "%s: %s\n%s\n", a.Text(f.At()), f.Rule, term.VisibleText(f.Message)); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(a.Err, "%s, %d failed\n", counted(all, "test", "tests"), failed)
	if failed > 0 {
		return &reportedError{fmt.Errorf("%d tests failed", failed)}
	}
	return nil
}

// findTests lists the tests at and below paths, in the order of their names.
func findTests(paths []string) ([]*goldenTest, error) {
	var out []*goldenTest
	for _, p := range paths {
		before := len(out)
		err := filepath.WalkDir(p, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return types.Wrapf(types.CANTOPEN, err, "test")
			case golden.IsScenario(name) && (d.IsDir() || d.Type().IsRegular()):
				s, err := golden.ReadScenario(name)
				if err != nil {
					return types.Wrapf(types.ERROR, err, "test")
				}
				out = append(out, &goldenTest{path: name, scenario: s})
				if d.IsDir() {
					return fs.SkipDir
				}
			case d.Type().IsRegular() && strings.HasSuffix(name, ".test"):
				text, err := os.ReadFile(name)
				out = append(out, &goldenTest{path: name, text: text})
				return err
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(out) == before {
			return nil, &types.Error{
				Code: types.NOTFOUND, Message: p + " holds no test",
				Hint: "a test is a folder with start.sql and target.sql, a .txtar archive of such files, or a .test file: docs/testing.md",
			}
		}
	}
	return out, nil
}

func (t *goldenTest) run(ctx context.Context, o testOptions) (err error) {
	open, options := golden.MemorySession, golden.RunOptions{Dir: filepath.Dir(t.path)}
	if o.disk {
		open, options.Reopen = golden.PebbleSession, true
	}
	if t.scenario != nil {
		if o.update {
			t.scenario.Begin()
		}
		t.results, err = t.scenario.Run(ctx, open, options)
		return err
	}
	cases, err := golden.ReadMigrations(t.path, bytes.NewReader(t.text))
	if err != nil {
		return err
	}
	t.results, err = golden.RunMigrations(ctx, cases, open, options)
	return err
}

// findings tells of each answer that is not the expected one.
func (t *goldenTest) findings() []lint.Finding {
	var out []lint.Finding
	for _, r := range t.results {
		if r.Pass {
			continue
		}
		f := lint.Finding{Rule: r.Case.Kind, Severity: lint.Error, Object: t.path, Message: r.Difference(), Source: ast.NewSource(t.path, ""), Line: r.Case.Line}
		if t.scenario != nil {
			f.Source = ast.NewSource(t.scenario.Place(r), "")
		}
		if f.Line > 0 {
			f.Column = 1
		}
		out = append(out, f)
	}
	return out
}

// update writes the answers that came into the files of the test.
func (t *goldenTest) update() error {
	if t.scenario != nil {
		return t.scenario.Update(t.results)
	}
	text := golden.UpdateCases(string(t.text), t.results)
	if text == string(t.text) {
		return nil
	}
	return os.WriteFile(t.path, []byte(text), 0o644)
}
