package main

import (
	"errors"

	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// applyReport is what apply tells as JSON; docs/json.md describes it. The nil report takes no notes.
type applyReport struct {
	Format     int              `json:"format"`
	Migrations []*migrationJSON `json:"migrations"`
	// Error is what ended the command, null when it did what it was to do.
	Error *errorJSON `json:"error"`
}

// migrationJSON is one plan with what came of it.
type migrationJSON struct {
	Plan    *planJSON    `json:"plan"`
	Outcome applyOutcome `json:"outcome"`
	// Number is the entry of the history, 0 when there is none.
	Number  uint64  `json:"number"`
	Seeded  int64   `json:"seeded"`
	Seconds float64 `json:"seconds"`
	// Refused are the hazards that the policy did not let through, Failures the steps that could not be carried out.
	Refused  []refusedJSON `json:"refused"`
	Failures []failureJSON `json:"failures"`
}

type applyOutcome string

const (
	outcomeApplied applyOutcome = "applied"
	outcomeDryRun  applyOutcome = "dry-run"
	outcomeInSync  applyOutcome = "in-sync"
	outcomeRefused applyOutcome = "refused"
	outcomeFailed  applyOutcome = "failed"
	outcomeNothing applyOutcome = "nothing-done" // somebody was asked and did not want it, or it was not come to
)

type refusedJSON struct {
	Statement string     `json:"statement"`
	Hazard    hazardJSON `json:"hazard"`
}

type failureJSON struct {
	// Step is the number of the step, from 1.
	Step      int        `json:"step"`
	Statement string     `json:"statement"`
	Error     *errorJSON `json:"error"`
	// Blocked is the number of the step because of whose failure this one was not judged, 0 for one that was.
	Blocked int `json:"not_judged_because_of"`
	// Rows is how many stood in the way, null when none did or nobody knows.
	Rows *int64 `json:"rows"`
}

type errorJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func newErrorJSON(a *app, err error) *errorJSON {
	return &errorJSON{types.CodeOf(err).String(), a.reason(err)}
}

// inJSON runs an apply and prints what came of it.
func (a *app) inJSON(run func() error) error {
	a.applied = &applyReport{Format: jsonFormat, Migrations: []*migrationJSON{}}
	err := run()
	if err != nil {
		a.applied.fail(a, err)
	}
	return firstOf(err, writeJSON(a.Out, a.applied))
}

func (r *applyReport) begin(plan *differ.Plan) {
	p := newPlanJSON(plan)
	r.Migrations = append(r.Migrations, &migrationJSON{Plan: &p, Outcome: outcomeNothing, Refused: []refusedJSON{}, Failures: []failureJSON{}})
}

func (r *applyReport) last() *migrationJSON {
	if r == nil || len(r.Migrations) == 0 {
		return nil
	}
	return r.Migrations[len(r.Migrations)-1]
}

func (r *applyReport) outcome(o applyOutcome) {
	if m := r.last(); m != nil {
		m.Outcome = o
	}
}

func (r *applyReport) done(result *engine.MigrateResult, isDry bool) {
	m := r.last()
	if m == nil {
		return
	}
	m.Number, m.Seeded, m.Seconds = result.Number, result.Seeded, result.Duration.Seconds()
	switch {
	case isDry:
		m.Outcome = outcomeDryRun
	case result.Number == 0:
		m.Outcome = outcomeInSync
	default:
		m.Outcome = outcomeApplied
	}
}

// fail notes the error that ended the command.
func (r *applyReport) fail(a *app, err error) {
	r.Error = newErrorJSON(a, err)
	m := r.last()
	if m == nil {
		return
	}
	var refused *engine.PolicyError
	var failed *engine.MigrateError
	switch {
	case errors.As(err, &refused):
		m.Outcome = outcomeRefused
		r.Error.Message = "refused by policy; nothing was changed"
		for i := range refused.Steps {
			s := &refused.Steps[i]
			for _, h := range refused.Allowed.Refused(s) {
				m.Refused = append(m.Refused, refusedJSON{s.SQL, newHazardJSON(h)})
			}
		}
	case errors.As(err, &failed):
		m.Outcome = outcomeFailed
		r.Error.Message = counted(len(failed.Failures), "statement could", "statements could") + " not be carried out; everything was rolled back"
		for _, f := range failed.Failures {
			m.Failures = append(m.Failures, newFailureJSON(a, f))
		}
	}
}

func newFailureJSON(a *app, f engine.Failure) failureJSON {
	out := failureJSON{Step: f.Step + 1, Statement: f.SQL}
	if f.Err == nil {
		out.Blocked = f.Blocked + 1
		return out
	}
	out.Error = newErrorJSON(a, f.Err)
	if f.Rows != nil {
		out.Rows = &f.Rows.Count
	}
	return out
}
