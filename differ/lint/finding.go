package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// Severity says how much a finding matters.
type Severity uint8

// The severities. Off is that of rules which are not looked at.
const (
	Off Severity = iota
	Info
	Warning
	Error
)

var severityWords = [...]string{"off", "info", "warning", "error"}

func (s Severity) String() string { return severityWords[s] }

// ParseSeverity reads the word of a severity.
func ParseSeverity(word string) (Severity, error) {
	if i := slices.Index(severityWords[:], word); i >= 0 {
		return Severity(i), nil
	}
	return Off, fmt.Errorf("there is no severity %q: write off, info, warning or error", word)
}

// Finding is one place that a rule objects to.
type Finding struct {
	// Rule is its code; that of a hazard of a plan begins with HazardPrefix.
	Rule     string
	Severity Severity
	// Object is the table, index, view or assertion that it is about.
	Object  string
	Message string
	// Avoid says what to write instead, "" when there is nothing.
	Avoid string
	// Source is the file, nil where nobody knows; the places are 1-based, 0 for the file as a whole. The end is that of the last
	// character, exclusive.
	Source             *ast.Source
	Line, Column       int
	EndLine, EndColumn int
}

// At gives the place as file:line:column, "" without one.
func (f *Finding) At() string {
	switch {
	case f.Source == nil:
		return ""
	case f.Line == 0:
		return f.Source.Name
	}
	return fmt.Sprintf("%s:%d:%d", f.Source.Name, f.Line, f.Column)
}

func (f *Finding) setPlace(o catalog.Origin, n ast.Node) {
	if f.Source = o.Source; f.Source == nil {
		return
	}
	f.Line, f.Column = o.Position(n.Pos())
	if f.EndLine, f.EndColumn = o.Position(n.End()); f.EndLine < f.Line || f.EndLine == f.Line && f.EndColumn <= f.Column {
		f.EndLine, f.EndColumn = f.Line, f.Column
	}
}

func sortFindings(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.sourceName(), b.sourceName()), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule))
	})
}

func (f *Finding) sourceName() string {
	if f.Source == nil {
		return ""
	}
	return f.Source.Name
}
