package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// printPlan writes a plan for a reviewer: its statements as SQL, and as comments what each does and what is dangerous about it, with
// values of rows that show it.
//
// Every line of an explanation begins with --, whatever names it holds: what is printed can be run.
func printPlan(out *term.Streams, plan *differ.Plan, withSamples bool) error {
	w, p := bufio.NewWriter(out.Out), out.OutPalette()
	for i := range plan.Steps {
		s := &plan.Steps[i]
		fmt.Fprintf(w, "%s;  %s\n", out.Text(s.SQL), p.Faint("-- "+term.Visible(s.Effect.String())))
		for _, h := range s.Hazards {
			fmt.Fprintf(w, "--   %s: %s\n", hazardWord(p, h), term.Visible(h.Message))
			if h.Avoid != "" {
				fmt.Fprintf(w, "--     %s\n", term.Visible(h.Avoid))
			}
			if withSamples {
				for _, line := range exampleLines(&h) {
					fmt.Fprintf(w, "--     %s\n", term.Visible(line))
				}
			}
		}
	}
	return w.Flush()
}

// hazardWord is the severity of a hazard and its code.
func hazardWord(p term.Palette, h differ.Hazard) string {
	word := fmt.Sprintf("%s (%s %s)", h.Severity, h.Code.Info().ID, h.Code)
	switch h.Severity {
	case differ.Destructive, differ.Failure:
		return p.Red(word)
	case differ.Warning:
		return p.Yellow(word)
	}
	return word
}

// printHazards tells about the hazards of a plan whose statements alone are the result.
func (a *app) printHazards(plan *differ.Plan) {
	for i := range plan.Steps {
		s := &plan.Steps[i]
		for _, h := range s.Hazards {
			if h.Severity == differ.Info {
				continue
			}
			fmt.Fprintf(a.Err, "%s: %s\n  %s\n", hazardWord(a.ErrPalette(), h), term.Visible(h.Message), term.Visible(s.SQL))
			if h.Avoid != "" {
				fmt.Fprintf(a.Err, "  %s\n", term.Visible(h.Avoid))
			}
		}
	}
}

// printNotes tells what the comparison found and no statement carries out.
func (a *app) printNotes(plan *differ.Plan) {
	for _, n := range plan.Notes {
		word := "note"
		if n.Difference {
			word = "note (a difference that no statement carries out)"
		}
		fmt.Fprintf(a.Err, "%s: %s\n", a.ErrPalette().Yellow(word), term.Visible(n.Message))
	}
}

// printRefusal tells the statements that a policy refused, with all that is dangerous about them: a refused drop may be a rename.
func (a *app) printRefusal(e *engine.PolicyError) {
	highest := e.Allowed.Severity
	var codes []string
	fmt.Fprintf(a.Err, "%s by policy; nothing was changed\n", a.ErrPalette().Red("refused"))
	for i := range e.Steps {
		s := &e.Steps[i]
		fmt.Fprintf(a.Err, "  %s\n", term.Visible(s.SQL))
		for _, h := range s.Hazards {
			if h.Severity == differ.Info {
				continue
			}
			if !e.Allowed.Lets(s, &h) {
				highest = max(highest, h.Severity)
				codes = append(codes, allowanceFor(s, h))
			}
			fmt.Fprintf(a.Err, "    %s: %s\n", hazardWord(a.ErrPalette(), h), term.Visible(h.Message))
			if h.Avoid != "" {
				fmt.Fprintf(a.Err, "      %s\n", term.Visible(h.Avoid))
			}
		}
	}
	if slices.ContainsFunc(e.Steps, func(s differ.Step) bool {
		return slices.ContainsFunc(s.Hazards, func(h differ.Hazard) bool { return h.Rename != nil })
	}) {
		fmt.Fprintln(a.Err, "  --write-hints writes the hints of renames into the schema file")
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	if len(codes) > 3 {
		codes = append(codes[:3], "…")
	}
	fmt.Fprintf(a.Err, "  --allow %s lets it through, or for these alone --allow %s\n", highest, term.Visible(strings.Join(codes, ",")))
}

// allowanceFor writes what lets a hazard of a step through.
func allowanceFor(s *differ.Step, h differ.Hazard) string {
	object := s.Object
	if s.Column() != "" {
		object += "." + s.Column()
	}
	return differ.Allowance{Code: h.Code.Info().ID, Object: object}.String()
}

// printFailures tells every step that failed.
func (a *app) printFailures(e *engine.MigrateError) {
	fmt.Fprintf(a.Err, "%s: %s not be carried out; everything was rolled back\n", a.ErrorWord(types.CodeOf(e)), counted(len(e.Failures), "statement could", "statements could"))
	for _, f := range e.Failures {
		fmt.Fprintf(a.Err, "  %d: %s\n", f.Step+1, term.Visible(f.SQL))
		if f.Err == nil {
			fmt.Fprintf(a.Err, "    not judged, because it depends on statement %d\n", f.Blocked+1)
			continue
		}
		a.printReason(f.Err)
		if f.Rows != nil {
			fmt.Fprintf(a.Err, "    rows in the way: %d%s\n", f.Rows.Count, a.keys(f.Rows))
		}
	}
}

// keys lists the keys of the first rows that stand in the way of a step: as they are where values of rows may be shown, else by their
// hashes, which tell nothing to whom does not know the rows.
func (a *app) keys(o *engine.Offending) string { return keyList(o, a.samples || a.ErrTerminal) }

func keyList(o *engine.Offending, isShown bool) string {
	if len(o.Keys) == 0 {
		return ""
	}
	keys := make([]string, len(o.Keys))
	for i, k := range o.Keys {
		if keys[i] = keyLiteral(k); !isShown {
			keys[i] = keyHash(keys[i])
		}
	}
	word := "key"
	if len(keys) > 1 {
		word = "keys"
	}
	if !isShown {
		word += " hashed"
	}
	return ", with " + word + " " + strings.Join(keys, " ")
}

// keyHash is the beginning of the SHA-256 of a key as it is shown.
func keyHash(key string) string { return fmt.Sprintf("%.8x", sha256.Sum256([]byte(key))) }

// printReason tells why a step failed, and where in the schema file it lies.
func (a *app) printReason(err error) {
	var inFile *catalog.SourceError
	if !errors.As(err, &inFile) {
		fmt.Fprintf(a.Err, "    %s: %s\n", types.CodeOf(err), term.Visible(a.reason(err)))
		return
	}
	plain := *inFile.Err
	plain.Line, plain.Column = 0, 0
	a.PrintFailure("    ", inFile, a.reason(&plain))
}

// reason gives the message of a failure. A value that does not convert stands in the cause, and is not for logs that may be published.
func (a *app) reason(err error) string {
	var e, cause *types.Error
	if a.samples || a.ErrTerminal || types.CodeOf(err) != types.MISMATCH || !errors.As(err, &e) || !errors.As(e.Cause, &cause) {
		return err.Error()
	}
	return strings.TrimSuffix(e.Message, ": "+cause.Message) + " (--samples shows it)"
}

// counted gives a number with the words for one or for several.
func counted[N int | int64](n N, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}
