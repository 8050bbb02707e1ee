package report

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/quereus/quereus-migrate/differ"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"summary": Summary,
	"reason":  Reason,
	"add":     func(a, b int) int { return a + b },
	"rows":    sideBySide,
	"picture": func(t []Table) template.HTML { return template.HTML(Picture(t)) }, // its texts are escaped there
	"examples": func(r *Report, h differ.Hazard) []string {
		if !r.Samples {
			return nil
		}
		return exampleTexts(&h)
	},
	"failure": func(r *Report, f Failure) string { return r.failureText(f) },
}).Parse(pageText))

// HTML writes the report as one page that loads nothing and runs nothing.
func HTML(w io.Writer, r *Report) error { return page.Execute(w, r) }

// pair is a row of two texts side by side.
type pair struct {
	Before, After      []span
	BeforeNo, AfterNo  int // line numbers from 1, 0 for none
	IsRemoved, IsAdded bool
}

// sideBySide puts the definitions of an object next to each other, lines that take the place of others in one row with what differs marked.
func sideBySide(c Change) []pair {
	lines := diffLines(ended(c.Before), ended(c.After))
	var out []pair
	old, now := 0, 0
	for i := 0; i < len(lines); {
		if lines[i].op == same {
			old, now = old+1, now+1
			text := []span{{lines[i].text, false}}
			out = append(out, pair{Before: text, After: text, BeforeNo: old, AfterNo: now})
			i++
			continue
		}
		var gone, came []string
		for ; i < len(lines) && lines[i].op != same; i++ {
			if lines[i].op == removed {
				gone = append(gone, lines[i].text)
			} else {
				came = append(came, lines[i].text)
			}
		}
		for k := range max(len(gone), len(came)) {
			var p pair
			if k < len(gone) {
				old++
				p.IsRemoved, p.BeforeNo, p.Before = true, old, []span{{gone[k], false}}
			}
			if k < len(came) {
				now++
				p.IsAdded, p.AfterNo, p.After = true, now, []span{{came[k], false}}
			}
			if p.IsRemoved && p.IsAdded && strings.TrimSpace(gone[k]) != "" {
				p.Before, p.After = intraline(gone[k], came[k])
			}
			out = append(out, p)
		}
	}
	return out
}
