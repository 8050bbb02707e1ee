package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// Markdown writes the report as GitHub and GitLab show it in a comment.
func Markdown(w io.Writer, r *Report) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# Migration of %s to %s\n\n%s\n", inline(r.From), inline(r.To), Summary(r))
	for i := range r.Schemas {
		s := &r.Schemas[i]
		if s.Plan.Empty() && len(s.Plan.Notes) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n## Schema %s\n", inline(s.Plan.Schema))
		r.markdownSteps(out, s)
		markdownNotes(out, s.Plan)
		markdownTrial(out, r, s)
		markdownChanges(out, s)
	}
	return out.Flush()
}

// Summary says in a sentence or two what is to be done.
func Summary(r *Report) string {
	if r.IsEmpty() {
		return "In sync: there is nothing to do."
	}
	text := counted(r.steps(), "statement", "statements") + "."
	h := r.hazards()
	var parts []string
	for s := differ.Destructive; s > differ.Info; s-- {
		if h[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", h[s], s))
		}
	}
	if len(parts) == 0 {
		text += " No hazards."
	} else {
		text += " Hazards: " + strings.Join(parts, ", ") + "."
	}
	for _, s := range r.Schemas {
		if s.Trial != nil && len(s.Trial.Failures) > 0 {
			text += fmt.Sprintf(" A trial on the rows that are there failed in %s.", counted(len(s.Trial.Failures), "statement", "statements"))
		}
	}
	return text
}

func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

func (r *Report) markdownSteps(out *bufio.Writer, s *Schema) {
	if len(s.Plan.Steps) == 0 {
		return
	}
	fmt.Fprint(out, "\n| | statement | why | effect |\n| --- | --- | --- | --- |\n")
	for i := range s.Plan.Steps {
		step := &s.Plan.Steps[i]
		fmt.Fprintf(out, "| %d | %s | %s | %s |\n", i+1, tableCode(step.SQL), prose(Reason(step)), step.Effect)
	}
	for i := range s.Plan.Steps {
		for _, h := range s.Plan.Steps[i].Hazards {
			fmt.Fprintf(out, "\n- **%s** (%s) in statement %d: %s", h.Severity, h.Code, i+1, prose(h.Message))
			if h.Avoid != "" {
				fmt.Fprintf(out, ". To avoid it: %s", prose(h.Avoid))
			}
			if r.Samples {
				for _, x := range exampleTexts(&h) {
					fmt.Fprintf(out, "\n  - %s", inline(x))
				}
			}
		}
	}
	fmt.Fprintln(out)
}

func exampleTexts(h *differ.Hazard) []string {
	var out []string
	for _, x := range h.Examples {
		var key []string
		for _, v := range x.Key {
			key = append(key, ast.Format(ast.LiteralOf(v)))
		}
		out = append(out, fmt.Sprintf("(%s): %s becomes %s", strings.Join(key, ", "), ast.Format(ast.LiteralOf(x.Before)), ast.Format(ast.LiteralOf(x.After))))
	}
	return out
}

// Reason says why a step is there.
func Reason(s *differ.Step) string {
	what, place := s.Kind.String()+" "+s.Object, ""
	if s.Item != nil {
		if at := s.Origin.At(s.Item); at != "" {
			place = " at " + at
		}
	}
	switch stmt := s.Stmt.(type) {
	case *ast.DropStmt:
		return what + " is not declared, or not like this"
	case *ast.AlterStmt:
		if _, ok := stmt.Action.(*ast.RenameTable); ok {
			return what + " is declared with a new name" + place
		}
		return what + " is declared otherwise" + place
	}
	return what + " is declared" + place
}

func markdownNotes(out *bufio.Writer, p *differ.Plan) {
	if len(p.Notes) == 0 {
		return
	}
	fmt.Fprint(out, "\n### Notes\n\n")
	for _, n := range p.Notes {
		fmt.Fprintf(out, "- %s: %s\n", n.Kind, prose(n.Message))
	}
}

func markdownTrial(out *bufio.Writer, r *Report, s *Schema) {
	if s.Trial == nil {
		return
	}
	fmt.Fprint(out, "\n### Trial\n\n")
	if len(s.Trial.Failures) == 0 {
		fmt.Fprint(out, "All statements were carried out on the rows that are there, and rolled back.\n")
	}
	for _, f := range s.Trial.Failures {
		fmt.Fprintf(out, "- statement %d: %s\n", f.Step+1, prose(r.failureText(f)))
	}
}

// failureText is a failure with the rows that stand in the way.
func (r *Report) failureText(f Failure) string {
	text := f.Message
	if f.Rows > 0 {
		text += fmt.Sprintf(" (rows in the way: %d", f.Rows)
		if r.Samples && len(f.Keys) > 0 {
			text += ", with keys " + strings.Join(f.Keys, " ")
		}
		text += ")"
	}
	return text
}

func markdownChanges(out *bufio.Writer, s *Schema) {
	for i := range s.Changes {
		c := &s.Changes[i]
		fmt.Fprintf(out, "\n<details><summary>%s %s %s</summary>\n\n", c.Kind, htmlText(c.Name), c.Verb())
		fence := fenceFor(c.Before + c.After)
		fmt.Fprintf(out, "%sdiff\n", fence)
		for _, l := range diffLines(ended(c.Before), ended(c.After)) {
			fmt.Fprintf(out, "%c%s\n", l.op, l.text)
		}
		fmt.Fprintf(out, "%s\n\n</details>\n", fence)
	}
}

func ended(text string) string {
	if text == "" {
		return ""
	}
	return text + "\n"
}

// fenceFor gives a fence that is longer than any in the text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

var (
	htmlEscapes  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	proseEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", " ", "\r", " ", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "|", `\|`, `\`, `\\`, "#", `\#`, "@", "&#64;")
)

func htmlText(s string) string {
	return htmlEscapes.Replace(strings.NewReplacer("\n", " ", "\r", " ").Replace(s))
}

// prose is a text in which nothing is taken for a mark.
func prose(s string) string { return proseEscapes.Replace(s) }

// inline is code within a line.
func inline(s string) string {
	s = strings.NewReplacer("\n", " ", "\r", " ").Replace(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 || strings.HasPrefix(s, " ") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// tableCode is code within a cell of a table, where a bar ends the cell.
func tableCode(s string) string { return strings.ReplaceAll(inline(s), "|", `\|`) }
