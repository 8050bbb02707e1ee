// Package findings writes what lint and diff have found, for people and for the machines of others: JSON, annotations of GitHub, SARIF,
// JUnit, and the code-quality report of GitLab. It decides nothing.
package findings

import (
	"io"

	"github.com/quereus/quereus-migrate/differ/lint"
)

// Report is what is written.
type Report struct {
	// Tool and Version name the program.
	Tool, Version string
	Findings      []lint.Finding
	// Rules are those that were looked at, for the forms that list them.
	Rules []lint.Rule
}

// Writers are the forms that programs read, by name.
var Writers = map[string]func(io.Writer, *Report) error{
	"json": writeJSON, "github": writeGitHub, "sarif": writeSARIF, "junit": writeJUnit, "code-quality": writeCodeQuality,
}

// sourceName is the file of a finding, "" where nobody knows.
func sourceName(f *lint.Finding) string {
	if f.Source == nil {
		return ""
	}
	return f.Source.Name
}

// text is the message with what to do instead.
func text(f *lint.Finding) string {
	if f.Avoid == "" {
		return f.Message
	}
	return f.Message + "; " + f.Avoid
}
