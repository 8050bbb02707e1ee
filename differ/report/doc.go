// Package report shows plans to reviewers: as Markdown, as one HTML page that needs nothing else, and as the difference of two texts. It
// makes no decisions: what is in a report is what the plan and the two schemas say.
package report

import (
	"github.com/quereus/quereus-migrate/differ"
)

// Report is what is shown.
type Report struct {
	// From and To name what is compared, Tool the program.
	From, To, Tool string
	Schemas        []Schema
	// Samples lets values of rows be shown; without it there are counts only.
	Samples bool
}

// Schema is one schema of a report.
type Schema struct {
	Plan *differ.Plan
	// Changes are the objects that come, go or become others.
	Changes []Change
	// Tables are those of before and after, for the picture; nil for none.
	Tables []Table
	// Trial tells what came of running the plan and rolling it back; nil where it was not run.
	Trial *Trial
}

// Trial is a run of the plan on the rows that are there, which was rolled back.
type Trial struct {
	// Failures are the steps that could not be carried out; empty for a plan that goes well.
	Failures []Failure
}

// Failure is a step that could not be carried out in a trial.
type Failure struct {
	// Step is its index in the plan.
	Step    int
	Message string
	// Rows is how many rows stand in the way, 0 where nobody can tell. Keys are those of the first, as literals.
	Rows int64
	Keys []string
}

// IsEmpty reports whether nothing is to be done.
func (r *Report) IsEmpty() bool {
	for _, s := range r.Schemas {
		if !s.Plan.Empty() {
			return false
		}
	}
	return true
}

// steps counts the statements.
func (r *Report) steps() (n int) {
	for _, s := range r.Schemas {
		n += len(s.Plan.Steps)
	}
	return n
}

// hazards counts the hazards of each severity.
func (r *Report) hazards() (n [4]int) {
	for _, s := range r.Schemas {
		for i := range s.Plan.Steps {
			for _, h := range s.Plan.Steps[i].Hazards {
				n[h.Severity]++
			}
		}
	}
	return n
}
