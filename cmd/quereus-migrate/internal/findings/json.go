package findings

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"

	"github.com/quereus/quereus-migrate/differ/lint"
)

type reportJSON struct {
	// Version is that of this form; it grows when something of it changes its meaning.
	Version  int           `json:"version"`
	Findings []findingJSON `json:"findings"`
}

type findingJSON struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Object   string `json:"object"`
	Message  string `json:"message"`
	Avoid    string `json:"avoid,omitempty"`
	File     string `json:"file,omitempty"`
	// Places count from 1; the end is exclusive.
	Line      int `json:"line,omitempty"`
	Column    int `json:"column,omitempty"`
	EndLine   int `json:"end_line,omitempty"`
	EndColumn int `json:"end_column,omitempty"`
}

func writeJSON(w io.Writer, r *Report) error {
	out := reportJSON{Version: 1, Findings: []findingJSON{}}
	for i := range r.Findings {
		f := &r.Findings[i]
		out.Findings = append(out.Findings, findingJSON{
			f.Rule, f.Severity.String(), f.Object, f.Message, f.Avoid, sourceName(f), f.Line, f.Column, f.EndLine, f.EndColumn,
		})
	}
	return encode(w, out)
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// issueJSON is an issue of GitLab's code-quality report.
type issueJSON struct {
	Description string       `json:"description"`
	CheckName   string       `json:"check_name"`
	Fingerprint string       `json:"fingerprint"`
	Severity    string       `json:"severity"`
	Location    locationJSON `json:"location"`
}

type locationJSON struct {
	Path  string    `json:"path"`
	Lines linesJSON `json:"lines"`
}

type linesJSON struct {
	Begin int `json:"begin"`
}

func writeCodeQuality(w io.Writer, r *Report) error {
	out := []issueJSON{}
	seen := map[string]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		out = append(out, issueJSON{
			Description: text(f), CheckName: f.Rule, Fingerprint: fingerprint(f, seen),
			Severity: map[lint.Severity]string{lint.Error: "critical", lint.Warning: "minor", lint.Info: "info"}[f.Severity],
			Location: locationJSON{sourceName(f), linesJSON{max(f.Line, 1)}},
		})
	}
	return encode(w, out)
}

// fingerprint names a finding in a way that outlives a move within its file. Findings that are alike are numbered.
func fingerprint(f *lint.Finding, seen map[string]int) string {
	key := fmt.Sprintf("%q %q %q %q", f.Rule, sourceName(f), f.Object, f.Message)
	seen[key]++
	return fmt.Sprintf("%.16x", sha256.Sum256(fmt.Appendf(nil, "%s %d", key, seen[key])))
}
