package plan

import (
	"encoding/json"
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"
)

// DrawText draws operators as a tree, one a line.
func DrawText(rows []ExplainRow) string {
	children := childrenOf(rows)
	var b strings.Builder
	var draw func(r ExplainRow, first, rest string)
	draw = func(r ExplainRow, first, rest string) {
		b.WriteString(first + r.line() + "\n")
		below := children[r.ID]
		for i, c := range below {
			if i == len(below)-1 {
				draw(c, rest+" └── ", rest+"     ")
			} else {
				draw(c, rest+" ├── ", rest+" │   ")
			}
		}
	}
	draw(rows[0], "", "")
	return b.String()
}

func childrenOf(rows []ExplainRow) map[int][]ExplainRow {
	children := map[int][]ExplainRow{}
	for _, r := range rows {
		children[r.Parent] = append(children[r.Parent], r)
	}
	return children
}

func (r ExplainRow) line() string {
	line := r.title()
	if r.Detail != "" {
		line += "  " + r.Detail
	}
	return line + "  " + r.numbers()
}

// title is the operator with what it reads.
func (r ExplainRow) title() string {
	words := []string{r.Op}
	if r.Object != "" {
		words = append(words, r.Object)
	}
	if r.Alias != "" && r.Alias != r.Object {
		words = append(words, "as "+r.Alias)
	}
	return strings.Join(words, " ")
}

// numbers are the estimate, and what was measured.
func (r ExplainRow) numbers() string {
	out := "rows=" + strconv.FormatFloat(max(r.Rows, 0), 'f', 0, 64)
	a := r.Actual
	if a == nil {
		return out
	}
	out += fmt.Sprintf(" actual=%d time=%s", a.Rows, a.Time.Round(time.Microsecond))
	if a.Opens != 1 {
		out += fmt.Sprintf(" opens=%d", a.Opens)
	}
	if a.Spills > 0 {
		out += fmt.Sprintf(" spills=%d", a.Spills)
	}
	return out
}

// DrawMermaid draws operators as a Mermaid flowchart; rows flow upwards.
func DrawMermaid(rows []ExplainRow) string {
	var b strings.Builder
	b.WriteString("flowchart BT\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", r.ID, strings.Join(r.label(mermaidText), "<br/>"))
	}
	for _, r := range rows {
		if r.Parent > 0 {
			fmt.Fprintf(&b, "  n%d --> n%d\n", r.ID, r.Parent)
		}
	}
	return b.String()
}

// mermaidText escapes a text for a label in quotes: entities without what Mermaid reads as a directive.
func mermaidText(s string) string {
	return strings.NewReplacer("&", "#", "\n", " ").Replace(html.EscapeString(s))
}

// DrawDot draws operators as a graph for Graphviz; rows flow upwards.
func DrawDot(rows []ExplainRow) string {
	var b strings.Builder
	b.WriteString("digraph plan {\n  rankdir=BT\n  node [shape=box]\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "  n%d [label=\"%s\"]\n", r.ID, strings.Join(r.label(dotText), `\n`))
	}
	for _, r := range rows {
		if r.Parent > 0 {
			fmt.Fprintf(&b, "  n%d -> n%d\n", r.ID, r.Parent)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func dotText(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) }

// label is what a picture says of an operator, line by line.
func (r ExplainRow) label(escape func(string) string) []string {
	lines := []string{escape(r.title())}
	if r.Detail != "" {
		lines = append(lines, escape(r.Detail))
	}
	return append(lines, escape(r.numbers()))
}

// jsonRow is an operator in JSON. Times are in milliseconds.
type jsonRow struct {
	ID      int         `json:"id"`
	Node    string      `json:"node"`
	Op      string      `json:"op"`
	Object  string      `json:"object,omitempty"`
	Alias   string      `json:"alias,omitempty"`
	Detail  string      `json:"detail,omitempty"`
	EstRows float64     `json:"estRows"`
	EstCost float64     `json:"estCost"`
	Actual  *jsonActual `json:"actual,omitempty"`
	Inputs  []*jsonRow  `json:"inputs,omitempty"`
}

type jsonActual struct {
	Rows   int64   `json:"rows"`
	Opens  int64   `json:"opens"`
	TimeMs float64 `json:"timeMs"`
	Spills int64   `json:"spills"`
}

// DrawJSON gives operators as one JSON object, inputs within.
func DrawJSON(rows []ExplainRow) (string, error) {
	byID := map[int]*jsonRow{}
	for _, r := range rows {
		j := &jsonRow{
			ID: r.ID, Node: r.NodeType, Op: r.Op, Object: r.Object, Alias: r.Alias, Detail: r.Detail, EstRows: max(r.Rows, 0), EstCost: r.Cost,
		}
		if a := r.Actual; a != nil {
			j.Actual = &jsonActual{a.Rows, a.Opens, float64(a.Time.Microseconds()) / 1000, a.Spills}
		}
		byID[r.ID] = j
		if up := byID[r.Parent]; up != nil {
			up.Inputs = append(up.Inputs, j)
		}
	}
	out, err := json.MarshalIndent(byID[rows[0].ID], "", "  ")
	return string(out), err
}
