package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

type checkOptions struct {
	dir    string
	format choice
	wait   time.Duration
	opener target.Opener
}

func newCheckCmd(a *app) *cobra.Command {
	o := checkOptions{format: newChoice("text", "json")}
	cmd := &cobra.Command{
		Use:   "check --db DIR",
		Short: "Read everything in a database and tell what is wrong with it",
		Long: `check reads every record, row and index entry and compares them with each other: rows decode, lie under their keys and have values
of their columns' types; indexes and UNIQUE constraints have exactly the entries that the rows call for; row counts, catalog and
history are right; the checksums of all tables' files hold. Then it judges every CHECK, foreign key, generated column and
assertion. It changes nothing, and takes as long as reading the whole database.

Each fault is a line of the output: the object and what is wrong with it. Rules that rows break need not be damage: foreign keys can be
switched off, and a CHECK that is added by hand is not tested on the rows that are there. Keys of rows are shown on a terminal or with
--samples, else by their hashes. The exit code is 1 when there is a fault.

With --format json the output is one document:
  {"sound": false, "tables": 2, "rows": 10, "entries": 20, "faults": [{"kind": "damage", "object": "main.item", "message": "..."}]}
The kind is damage, or rule for a rule that rows break, which has "rows": {"count": 1, "keys": ["..."]} where they are known.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.opener = a.newOpener(cmd, o.wait)
			o.opener.ReadOnly = true
			return runCheck(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.dir, "db", "", "database directory (required)")
	cmd.Flags().BoolVar(&a.samples, "samples", false, "show keys of rows also where no terminal is")
	o.format.add(cmd, "format", "form of the output")
	addLockTimeout(cmd, &o.wait)
	mustRequire(cmd, "db")
	return cmd
}

// errFaulty ends a check that found faults, which are told by then.
var errFaulty = &reportedError{errors.New("the database has faults")}

func runCheck(ctx context.Context, a *app, o checkOptions) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	r, err := checkReport(ctx, o)
	if err != nil {
		return err
	}
	return a.tellCheck(r, o.format.String())
}

// tellCheck tells the result of a check; an error when there are faults.
func (a *app) tellCheck(r *engine.CheckReport, format string) (err error) {
	if format == "json" {
		err = writeJSON(a.Out, a.newCheckJSON(r))
	} else {
		err = a.printCheck(r)
	}
	if err == nil && len(r.Faults)+len(r.Broken) > 0 {
		return errFaulty
	}
	return err
}

// checkReport checks a database. Damage that keeps it from being opened is the only fault then.
func checkReport(ctx context.Context, o checkOptions) (*engine.CheckReport, error) {
	db, err := o.opener.Database(ctx, o.dir)
	if types.CodeOf(err) == types.CORRUPT {
		return engine.DamagedReport(err), nil
	}
	if err != nil {
		return nil, err
	}
	r, err := db.Check(ctx)
	return r, firstOf(err, db.Close())
}

func (a *app) printCheck(r *engine.CheckReport) error {
	isShown := a.samples || a.OutTerminal
	for _, f := range append(r.Faults, r.Broken...) {
		text := faultText(f, isShown)
		if f.Object != "" {
			text = f.Object + ": " + text
		}
		if f.Rows.Count > 0 {
			text += fmt.Sprintf(" (%s%s)", counted(f.Rows.Count, "row", "rows"), keyList(&f.Rows, isShown))
		}
		if _, err := fmt.Fprintln(a.Out, term.Visible(text)); err != nil {
			return err
		}
	}
	n := len(r.Faults) + len(r.Broken)
	verdict := "no fault"
	if n > 0 {
		verdict = counted(n, "fault", "faults")
	}
	_, err := fmt.Fprintf(a.Err, "%s: %s, %s and %s read\n", verdict,
		counted(r.Tables, "table", "tables"), counted(r.Rows, "row", "rows"), counted(r.Entries, "index entry", "index entries"))
	return err
}

// faultText is the message of a fault, with keys as they are where values of rows may be shown.
func faultText(f engine.CheckFault, isShown bool) string {
	if isShown {
		return f.Message
	}
	return f.Masked(keyHash)
}

// checkJSON is what check prints as JSON.
type checkJSON struct {
	Sound   bool        `json:"sound"`
	Tables  int         `json:"tables"`
	Rows    int64       `json:"rows"`
	Entries int64       `json:"entries"`
	Faults  []faultJSON `json:"faults"`
}

type faultJSON struct {
	Kind    string     `json:"kind"`
	Object  string     `json:"object,omitempty"`
	Message string     `json:"message"`
	Rows    *faultRows `json:"rows,omitempty"`
}

type faultRows struct {
	Count int64             `json:"count"`
	Keys  []json.RawMessage `json:"keys"`
}

func (a *app) newCheckJSON(r *engine.CheckReport) checkJSON {
	out := checkJSON{Sound: len(r.Faults)+len(r.Broken) == 0, Tables: r.Tables, Rows: r.Rows, Entries: r.Entries, Faults: []faultJSON{}}
	for _, f := range r.Faults {
		out.Faults = append(out.Faults, a.newFaultJSON("damage", f))
	}
	for _, f := range r.Broken {
		out.Faults = append(out.Faults, a.newFaultJSON("rule", f))
	}
	return out
}

func (a *app) newFaultJSON(kind string, f engine.CheckFault) faultJSON {
	out := faultJSON{Kind: kind, Object: f.Object, Message: faultText(f, a.samples)}
	if f.Rows.Count == 0 {
		return out
	}
	out.Rows = &faultRows{Count: f.Rows.Count, Keys: []json.RawMessage{}}
	for _, key := range f.Rows.Keys {
		text := json.RawMessage(types.AppendWireRow(nil, key))
		if !a.samples {
			text = json.RawMessage(`"` + keyHash(keyLiteral(key)) + `"`)
		}
		out.Rows.Keys = append(out.Rows.Keys, text)
	}
	return out
}
