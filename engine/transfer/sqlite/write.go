package sqlite

import (
	"context"
	"database/sql"
	"io"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/transfer"
	"github.com/quereus/quereus-migrate/types"
)

// WriteOptions say what is written.
type WriteOptions struct {
	// Schema is the one whose objects are written; SQLite has no others.
	Schema string
	// Tables are the tables whose rows are written.
	Tables []*catalog.Table
	// Progress is called for each table with the rows that are written, and of how many, 0 when nobody knows; nil for nobody.
	Progress func(what string, rows, total int64)
}

// Write writes a schema and its rows as a text that SQLite runs, as one transaction. What SQLite cannot say is left out with a note: each
// definition is tried on a SQLite database in memory before it is written. The rows are those of one moment when conn is in a transaction.
func Write(ctx context.Context, conn *engine.Conn, to io.Writer, o WriteOptions) ([]transfer.Note, error) {
	cat, err := conn.Catalog()
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	w := &writer{conn: conn, trial: db, to: to, options: o}
	if err := w.write(ctx, cat); err != nil {
		return nil, err
	}
	return w.notes, w.err
}

// writer is a text under way.
type writer struct {
	conn    *engine.Conn
	trial   *sql.DB
	to      io.Writer
	options WriteOptions
	notes   []transfer.Note
	err     error
}

func (w *writer) write(ctx context.Context, cat *catalog.Snapshot) error {
	w.line("PRAGMA foreign_keys = OFF;\nBEGIN;")
	written := map[*catalog.Table]*tableText{}
	for _, t := range cat.TablesInOrder(w.options.Schema) {
		if !t.IsEngineManaged() {
			written[t] = w.table(ctx, t)
		}
	}
	for _, t := range w.options.Tables {
		if text := written[t]; text != nil {
			if err := w.rows(ctx, t, text); err != nil {
				return err
			}
		}
	}
	for _, t := range cat.TablesInOrder(w.options.Schema) {
		if written[t] != nil {
			w.indexes(ctx, t)
		}
	}
	w.views(ctx, cat)
	for _, a := range cat.AssertionsInOrder(w.options.Schema) {
		w.note(transfer.LeftOut, a.Name, "SQLite has no assertions", ast.Format(a.Stmt()))
	}
	w.line("COMMIT;\nPRAGMA foreign_keys = ON;")
	return w.err
}

func (w *writer) line(text string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.to, text+"\n")
	}
}

func (w *writer) note(kind transfer.NoteKind, object, message, text string) {
	w.notes = append(w.notes, transfer.Note{Kind: kind, Object: object, Message: message, Text: text})
}

// takes reports whether SQLite takes a definition, and keeps it in the trial when it does.
func (w *writer) takes(ctx context.Context, statement string) error {
	_, err := w.trial.ExecContext(ctx, statement)
	return err
}

// indexes writes the indexes of a table, those that SQLite takes.
func (w *writer) indexes(ctx context.Context, t *catalog.Table) {
	for _, ix := range t.Indexes {
		n := ix.Stmt(t)
		n.Name.Schema, n.Table.Schema, n.Tags, n.HasTags = ast.Name{}, ast.Name{}, nil, false
		for i := range n.Columns {
			n.Columns[i].Collation = w.collation(ix.Name, n.Columns[i].Collation)
		}
		w.object(ctx, ix.Name, n)
	}
}

// views writes views, in the order of their making, which is one in which each finds what it reads.
func (w *writer) views(ctx context.Context, cat *catalog.Snapshot) {
	for _, v := range cat.ViewsInOrder(w.options.Schema) {
		n := v.Stmt()
		n.Name.Schema, n.Tags, n.HasTags = ast.Name{}, nil, false
		text := ast.FormatWith(n, ast.Options{Quoted: true})
		if !w.object(ctx, v.Name, n) {
			continue
		}
		// SQLite looks into the body only when it is read.
		if _, err := w.trial.ExecContext(ctx, "select * from "+quoted(v.Name)+" limit 0"); err != nil {
			w.note(transfer.Changed, v.Name, "SQLite makes the view and cannot run it: "+err.Error(), text)
		}
	}
}

// object writes a definition if SQLite takes it; else it is noted.
func (w *writer) object(ctx context.Context, name string, n ast.Node) bool {
	text := ast.FormatWith(n, ast.Options{Quoted: true})
	if err := w.takes(ctx, text); err != nil {
		w.note(transfer.LeftOut, name, "SQLite does not take it: "+err.Error(), text)
		return false
	}
	w.line(text + ";")
	return true
}

// collation gives the name of a collation that SQLite has, BINARY for others.
func (w *writer) collation(object string, name ast.Name) ast.Name {
	switch types.Fold(name.Text) {
	case "", "binary", "nocase", "rtrim":
		return name
	}
	w.note(transfer.Changed, object, "SQLite has no collation "+name.Text+": it compares bytes there", "")
	return ast.Ident("binary")
}
