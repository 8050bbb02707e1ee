package main

import (
	"bufio"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/engine"
)

type historyOptions struct {
	dir    string
	format choice
	brief  bool
	wait   time.Duration
	opener target.Opener
}

func newHistoryCmd(a *app) *cobra.Command {
	o := historyOptions{format: newChoice("text", "json")}
	cmd := &cobra.Command{
		Use:   "history --db DIR",
		Short: "Tell what was applied to a database",
		Long: `history lists the migrations that were applied, oldest first: when, by whom, with which version of the tool, how long it
took, and the statements. Adoptions and undos are entries too; what was undone is marked.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.opener = a.newOpener(cmd, o.wait)
			o.opener.ReadOnly = true
			return runHistory(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "db", "", "database directory (required)")
	f.BoolVar(&o.brief, "brief", false, "leave the statements out")
	o.format.add(cmd, "format", "form of the output")
	addLockTimeout(cmd, &o.wait)
	mustRequire(cmd, "db")
	return cmd
}

func runHistory(ctx context.Context, a *app, o historyOptions) error {
	db, err := o.opener.Database(ctx, o.dir)
	if err != nil {
		return err
	}
	entries, err := db.History(ctx)
	if err = firstOf(err, db.Close()); err != nil {
		return err
	}
	undone := engine.Taken(entries)
	list := make([]*historyJSON, len(entries))
	for i := range entries {
		list[i] = newHistoryJSON(&entries[i])
		list[i].Undone = undone[entries[i].Number]
		if o.brief {
			list[i].Statements = nil
		}
	}
	if o.format.String() == "json" {
		return writeJSON(a.Out, map[string]any{"format": jsonFormat, "history": list})
	}
	return a.printHistory(list)
}

// historyJSON is an entry of the history; docs/json.md describes it.
type historyJSON struct {
	Number     uint64   `json:"number"`
	Kind       string   `json:"kind"`
	Schema     string   `json:"schema"`
	Version    string   `json:"version"`
	From       string   `json:"from"`
	To         string   `json:"to"`
	Plan       string   `json:"plan"`
	Before     uint64   `json:"before,omitempty"`
	Undone     bool     `json:"undone"`
	At         string   `json:"at"`
	Seconds    float64  `json:"seconds"`
	By         string   `json:"by"`
	Tool       string   `json:"tool"`
	Statements []string `json:"statements"`
}

func newHistoryJSON(e *engine.HistoryEntry) *historyJSON {
	kind := e.Kind
	if kind == engine.Migrated {
		kind = "migration"
	}
	return &historyJSON{
		Number: e.Number, Kind: kind, Schema: e.Schema, Version: e.Version, From: e.From, To: e.To, Plan: e.Plan, Before: e.Before,
		At: e.At.Format(time.RFC3339), Seconds: e.Duration.Seconds(), By: e.By, Tool: e.Tool, Statements: e.Statements,
	}
}

// title is the number with what happened.
func (h *historyJSON) title() string {
	text := fmt.Sprint(h.Number)
	switch h.Kind {
	case engine.Adopted:
		text += " (adopted)"
	case engine.Undone:
		text += fmt.Sprintf(" (undo, back to before migration %d)", h.Before)
	}
	if h.Version != "" {
		text += " to version " + h.Version
	}
	return text
}

// signature says when it was, and who did it with what.
func (h *historyJSON) signature() string {
	text := h.At + ", by " + h.By
	if h.Tool != "" {
		text += " with " + h.Tool
	}
	return text
}

func (a *app) printHistory(list []*historyJSON) error {
	w, p := bufio.NewWriter(a.Out), a.OutPalette()
	for i, h := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		mark := ""
		if h.Undone {
			mark = ", undone"
		}
		fmt.Fprintf(w, "migration %s: schema %s%s\n", term.Visible(h.title()), term.Visible(h.Schema), mark)
		took := time.Duration(h.Seconds * float64(time.Second)).Round(time.Millisecond)
		fmt.Fprintf(w, "  %s, in %s\n", term.Visible(h.signature()), took)
		fmt.Fprintf(w, "  from %s\n  to   %s\n", h.From, h.To)
		if h.Plan != "" {
			fmt.Fprintf(w, "  plan %s\n", term.Visible(h.Plan))
		}
		for _, sql := range h.Statements {
			fmt.Fprintf(w, "  %s;\n", p.Faint(term.Visible(sql)))
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(a.Err, "nothing was applied yet")
	}
	return w.Flush()
}
