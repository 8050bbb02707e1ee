package golden

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// Session is the engine under test: one session on a database that was fresh and empty when the file began.
type Session interface {
	// Exec runs statements; the answer does not count.
	Exec(ctx context.Context, sql string) error
	// Query runs a text and gives the column names and rows of its last statement, each a JSON array (types.AppendWire).
	Query(ctx context.Context, sql string) (lines []string, err error)
	// InTransaction reports whether an explicit transaction is open.
	InTransaction() bool
	// Conn gives the session's connection; Reopen makes another one.
	Conn() *engine.Conn
	// Reopen closes the database and opens it again, with the session's settings and declarations kept.
	Reopen(ctx context.Context) error
	Close() error
}

// Result is the outcome of one case. Got is the whole answer when it was not the expected one.
type Result struct {
	Case *Case
	Pass bool
	Got  []string
}

// RunOptions say how a file is run.
type RunOptions struct {
	// Reopen closes and reopens the database before each case that does not stand in a transaction.
	Reopen bool
	// Dir is the folder from which a migration case includes schema files.
	Dir string
}

// RunFile runs the cases of one file from top to bottom on one session. An error means that the run itself broke, not that a
// case failed.
func RunFile(ctx context.Context, cases []*Case, s Session, o RunOptions) ([]Result, error) {
	results := make([]Result, 0, len(cases))
	for i, c := range cases {
		if o.Reopen && i > 0 && !s.InTransaction() {
			if err := s.Reopen(ctx); err != nil {
				return results, fmt.Errorf("%s: reopening: %w", c.ID(), err)
			}
		}
		got := answer(ctx, c, s)
		r := Result{Case: c, Pass: matches(c, got)}
		if !r.Pass {
			r.Got = got
		}
		results = append(results, r)
	}
	return results, nil
}

// answer runs a case and gives its answer in the form of the files.
func answer(ctx context.Context, c *Case, s Session) []string {
	if c.Kind == "exec" {
		if err := s.Exec(ctx, c.Input); err != nil {
			return []string{errorLine(err)}
		}
		return []string{"ok"}
	}
	lines, err := s.Query(ctx, c.Input)
	if err != nil {
		return []string{errorLine(err)}
	}
	return lines
}

func errorLine(err error) string {
	message := err.Error()
	var e *types.Error
	if errors.As(err, &e) {
		message = e.Message
		if e.Hint != "" {
			message += "; " + e.Hint
		}
	}
	return fmt.Sprintf("error %s: %s", types.CodeOf(err), strings.ReplaceAll(message, "\n", " "))
}

// matches compares an answer with the expected one as conformance/README.md says: codes exactly, message texts as a part of the
// message whatever their case, rows by the value of their JSON.
func matches(c *Case, got []string) bool {
	want := c.Expected
	if len(want) == 1 && strings.HasPrefix(want[0], "error ") {
		return len(got) == 1 && matchesError(want[0], got[0])
	}
	if len(got) != len(want) {
		return false
	}
	if c.RowSort && len(want) > 1 {
		want, got = sortedRows(want), sortedRows(got)
	}
	for i := range want {
		if !sameJSON(want[i], got[i]) {
			return false
		}
	}
	return true
}

func matchesError(want, got string) bool {
	wantCode, wantText, _ := strings.Cut(want, ":")
	gotCode, gotText, _ := strings.Cut(got, ":")
	return wantCode == gotCode && strings.Contains(types.Fold(gotText), types.Fold(strings.TrimSpace(wantText)))
}

// sortedRows keeps the line of column names first and sorts the rows as text.
func sortedRows(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = canonicalJSON(l)
	}
	slices.Sort(out[1:])
	return out
}
