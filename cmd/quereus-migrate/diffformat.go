package main

import (
	"bytes"
	"strings"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/findings"
	"github.com/quereus/quereus-migrate/differ/lint"
	"github.com/quereus/quereus-migrate/differ/report"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// writeDiff writes what was compared in the form that was asked for.
func (a *app) writeDiff(o *diffOptions, all []*compared) error {
	switch format := o.format.String(); format {
	case "sql":
		return a.printStatements(all)
	case "text":
		for _, c := range all {
			if err := printPlan(a.Streams, c.plan, a.OutTerminal); err != nil {
				return err
			}
		}
		return nil
	case "json":
		return writeJSON(a.Out, newPlansJSON(all))
	case "yaml":
		var b bytes.Buffer
		if err := writeJSON(&b, newPlansJSON(all)); err != nil {
			return err
		}
		return findings.WriteYAML(a.Out, b.Bytes())
	case "markdown":
		return report.Markdown(a.Out, o.newReport(all))
	case "unified":
		return a.writeUnified(o, all)
	default:
		return findings.Writers[format](a.Out, &findings.Report{Tool: "quereus-migrate", Version: version(), Findings: planFindings(all)})
	}
}

// planFindings gives the hazards of plans, and the differences that no statement carries out.
func planFindings(all []*compared) []lint.Finding {
	var out []lint.Finding
	for _, c := range all {
		out = append(out, lint.Hazards(c.plan, lint.Options{})...)
		for _, n := range c.plan.Differences() {
			out = append(out, lint.Finding{Rule: "difference/" + string(n.Kind), Severity: lint.Warning, Object: n.Object, Message: n.Message})
		}
	}
	return out
}

// writeUnified writes the difference of the two schemas as texts.
func (a *app) writeUnified(o *diffOptions, all []*compared) error {
	for _, c := range all {
		before, after := c.declarations()
		text := func(s *ast.DeclareSchemaStmt) string {
			if len(s.Items) == 0 {
				return ""
			}
			return ast.FormatWith(s, ast.Options{Lines: true}) + ";\n"
		}
		name := strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace
		if err := report.Unified(a.Out, name(o.source()), name(o.goal()), a.Text(text(before)), a.Text(text(after))); err != nil {
			return err
		}
	}
	return nil
}

// goal names what to get to.
func (o *diffOptions) goal() string {
	if o.db != "" {
		return strings.Join(o.schemas, " ")
	}
	return o.to
}

func (o *diffOptions) newReport(all []*compared) *report.Report {
	r := &report.Report{From: o.source(), To: o.goal(), Tool: toolName()}
	for _, c := range all {
		before, after := c.declarations()
		changes := report.Changes(before, after, c.plan)
		r.Schemas = append(r.Schemas, report.Schema{
			Plan: c.plan, Changes: changes, Tables: report.Tables(c.before, c.after, c.plan.Schema, changes),
		})
	}
	return r
}
