package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/findings"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/differ/lint"
	"github.com/quereus/quereus-migrate/engine"
)

type lintOptions struct {
	schemas  []string
	since    string
	format   choice
	failOn   choice
	severity []string
	list     bool
	renames  renamePolicy
	opener   target.Opener
}

// findingFormats are the forms that findings are written in.
var findingFormats = []string{"text", "json", "github", "sarif", "junit", "code-quality"}

func newLintCmd(a *app) *cobra.Command {
	o := lintOptions{format: newChoice(findingFormats...), failOn: newChoice("error", "warning", "info", "never")}
	cmd := &cobra.Command{
		Use:         "lint SCHEMA...",
		Annotations: map[string]string{takesPaths: "schemas"},
		Short:       "Find what is allowed in a schema and likely to be regretted",
		Long: `lint looks at schema files for what is allowed and likely to be regretted. Each rule has a code; --rules lists them.

With --since it compares with what a commit of git has under the same names, too, and tells the hazards of the way from there, each with
a code hazard/…: what could fail or lose something in a database that holds rows.

A comment in a file suppresses findings: -- lint:ignore CODE why, on the line, or alone on the line before; -- lint:ignore-file CODE why
anywhere in the file. The code all stands for every one.`,
		Example: `  quereus-migrate lint schemas/
  quereus-migrate lint --since origin/main --format github schemas/
  quereus-migrate lint --severity select-star=error --severity mixed-case-name=off schema.sql`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.schemas, o.opener = args, a.newOpener(cmd, time.Duration(0))
			return runLint(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "", "commit to compare with, as REF or git:REF")
	f.StringArrayVar(&o.severity, "severity", nil, "severity of a rule, CODE=off, info, warning or error; may be given several times")
	f.BoolVar(&o.list, "rules", false, "list the rules")
	o.format.add(cmd, "format", "form of the findings")
	o.failOn.add(cmd, "fail-on", "exit with 1 on findings of this severity and above")
	o.renames.add(cmd)
	return cmd
}

func runLint(ctx context.Context, a *app, o lintOptions) error {
	options, err := o.options()
	if err != nil {
		return err
	}
	switch {
	case o.list:
		return a.listRules(options)
	case len(o.schemas) == 0:
		return &usageError{"say what to look at: a SCHEMA"}
	}
	found, err := o.find(ctx, options)
	if err != nil {
		return err
	}
	if err := a.writeFindings(o.format.String(), found, options); err != nil {
		return err
	}
	if o.fails(found) {
		return &reportedError{fmt.Errorf("%d findings", len(found))}
	}
	return nil
}

// options reads the severities.
func (o *lintOptions) options() (lint.Options, error) {
	out := lint.Options{Severities: map[string]lint.Severity{}}
	for _, s := range o.severity {
		code, word, _ := strings.Cut(s, "=")
		severity, err := lint.ParseSeverity(word)
		if err != nil {
			return out, &usageError{fmt.Sprintf("--severity %s: %s", s, err)}
		}
		if !lint.IsCode(code) {
			return out, &usageError{fmt.Sprintf("--severity %s: there is no rule %s; --rules lists them", s, code)}
		}
		out.Severities[code] = severity
	}
	return out, nil
}

func (o *lintOptions) find(ctx context.Context, options lint.Options) ([]lint.Finding, error) {
	declared, err := o.opener.Schemas(o.schemas...)
	if err != nil {
		return nil, err
	}
	cat, err := target.Catalog(ctx, declared)
	if err != nil {
		return nil, err
	}
	found := lint.Schemas(declared, cat, options)
	if o.since == "" {
		return found, nil
	}
	hazards, err := o.hazardsSince(ctx, declared, options)
	return append(found, hazards...), err
}

// hazardsSince tells the hazards of the way from what a commit declares. A schema that the commit has not got begins empty.
func (o *lintOptions) hazardsSince(ctx context.Context, declared []*catalog.Declared, options lint.Options) ([]lint.Finding, error) {
	ref := strings.TrimPrefix(o.since, "git:")
	var names []string
	for _, name := range o.schemas {
		if name == target.Stdin || target.IsGit(name) {
			return nil, &usageError{fmt.Sprintf("--since compares files with what they were: %s is none", name)}
		}
		if target.GitHas(ref, name) {
			names = append(names, target.GitName(ref, name))
		}
	}
	if err := target.CheckGitRef(ref); err != nil {
		return nil, err
	}
	before := catalog.NewSnapshot()
	if len(names) > 0 {
		old, err := o.opener.Schemas(names...)
		if err != nil {
			return nil, err
		}
		if before, err = target.StartOf(ctx, old); err != nil {
			return nil, err
		}
	}
	db, err := target.Blank(ctx)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	c := comparison{db: db, options: engine.DiffOptions{Policy: o.renames.policy(), AllowDestructive: true, From: before, Uncounted: true}}
	var out []lint.Finding
	for _, d := range declared {
		plan, err := c.plan(ctx, d)
		if err != nil {
			return nil, err
		}
		out = append(out, lint.Hazards(plan, options)...)
	}
	return out, nil
}

func (o *lintOptions) fails(found []lint.Finding) bool {
	least := [...]lint.Severity{lint.Error, lint.Warning, lint.Info, lint.Error + 1}[o.failOn.at]
	for _, f := range found {
		if f.Severity >= least {
			return true
		}
	}
	return false
}

func (a *app) listRules(o lint.Options) error {
	for _, r := range lint.Rules() {
		severity := r.Severity
		if s, ok := o.Severities[r.Code]; ok {
			severity = s
		}
		if _, err := fmt.Fprintf(a.Out, "%-26s%-9s%s\n", r.Code, severity, r.Summary); err != nil {
			return err
		}
	}
	return nil
}

// writeFindings writes findings in a form.
func (a *app) writeFindings(format string, found []lint.Finding, o lint.Options) error {
	if format == "text" {
		return a.printFindings(found)
	}
	rules := lint.Rules()
	for i := range rules {
		if s, ok := o.Severities[rules[i].Code]; ok {
			rules[i].Severity = s
		}
	}
	return findings.Writers[format](a.Out, &findings.Report{Tool: "quereus-migrate", Version: version(), Findings: found, Rules: rules})
}

// printFindings tells findings to people, each with its line.
func (a *app) printFindings(found []lint.Finding) error {
	p := a.OutPalette()
	out := *a.Streams
	out.Err, out.ErrTerminal = a.Out, a.OutTerminal
	for i := range found {
		f := &found[i]
		word := f.Severity.String()
		switch f.Severity {
		case lint.Error:
			word = p.Red(word)
		case lint.Warning:
			word = p.Yellow(word)
		}
		message := fmt.Sprintf("%s: %s (%s)", word, term.Visible(f.Message), f.Rule)
		out.PrintFinding(f.Source, f.Line, f.Column, message)
		if f.Avoid != "" {
			if _, err := fmt.Fprintf(a.Out, "  %s\n", term.Visible(f.Avoid)); err != nil {
				return err
			}
		}
	}
	if len(found) > 0 {
		_, err := fmt.Fprintln(a.Err, counted(len(found), "finding", "findings"))
		return err
	}
	return nil
}
