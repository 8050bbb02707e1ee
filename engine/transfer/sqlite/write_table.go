package sqlite

import (
	"context"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/transfer"
	"github.com/quereus/quereus-migrate/types"
)

// tableText is a table as it is written: which columns its rows give values to.
type tableText struct {
	columns []int
}

// table writes the definition of a table: what SQLite takes of it.
func (w *writer) table(ctx context.Context, t *catalog.Table) *tableText {
	d := &tableDraft{writer: w, t: t}
	for i, c := range t.Columns {
		d.column(ctx, i, c)
	}
	d.rules(ctx)
	text := d.text(d.items)
	if err := w.takes(ctx, text); err != nil {
		w.note(transfer.LeftOut, t.Name, "SQLite does not take it: "+err.Error(), text)
		return nil
	}
	w.line(text + ";")
	if t.Maintained != nil {
		w.note(transfer.Changed, t.Name, "it is a plain table with the rows of now, which nothing keeps up to date", ast.Format(t.Maintained.Body))
	}
	return &d.given
}

// tableDraft is the definition of a table under way.
type tableDraft struct {
	*writer
	t     *catalog.Table
	items []string
	given tableText
}

func (d *tableDraft) text(items []string) string {
	return "CREATE TABLE " + quoted(d.t.Name) + " (\n  " + strings.Join(items, ",\n  ") + "\n)"
}

// typeOf gives the declared type of a column. That of a key which may hold NULL is no INTEGER, which would make it the number of the row.
func (d *tableDraft) typeOf(i int) string {
	c := d.t.Columns[i]
	if key := d.t.Key.Columns; c.Type == types.TypeInteger && !c.NotNull && len(key) == 1 && key[0].Column == i {
		return "INT"
	}
	return typeName(c.Type)
}

func (d *tableDraft) column(ctx context.Context, i int, c *catalog.Column) {
	item := quoted(c.Name)
	if name := d.typeOf(i); name != "" {
		item += " " + name
	}
	if c.NotNull {
		item += " NOT NULL"
	}
	if c.Collation != nil && c.Type.CollationAware {
		if k := d.collation(d.t.Name+"."+c.Name, ast.Ident(c.Collation.Name)); types.Fold(k.Text) != "binary" {
			item += " COLLATE " + strings.ToUpper(k.Text)
		}
	}
	whole := item
	if c.Default != nil {
		whole = d.extended(ctx, item, " DEFAULT ("+quotedExpr(c.Default)+")", c.Default, "the default of "+c.Name)
	}
	isGiven := true
	if c.Generated != nil {
		kind := " VIRTUAL"
		if c.Stored {
			kind = " STORED"
		}
		whole = d.extended(ctx, item, " GENERATED ALWAYS AS ("+quotedExpr(c.Generated)+")"+kind, c.Generated, "the expression of "+c.Name)
		isGiven = whole == item
	}
	if isGiven {
		d.given.columns = append(d.given.columns, i)
	}
	d.items = append(d.items, whole)
}

// extended gives the item of a column with a clause, if SQLite takes that beside all columns; else the clause is noted.
func (d *tableDraft) extended(ctx context.Context, item, clause string, x ast.Expr, what string) string {
	probe := []string{item + clause}
	for _, c := range d.t.Columns {
		if !strings.HasPrefix(item, quoted(c.Name)) {
			probe = append(probe, strings.TrimSpace(quoted(c.Name)+" "+typeName(c.Type)))
		}
	}
	if d.isTaken(ctx, probe, x, what, clause) {
		return item + clause
	}
	return item
}

// isTaken tries the items of a table. What SQLite refuses is noted.
func (d *tableDraft) isTaken(ctx context.Context, items []string, x ast.Expr, what, clause string) bool {
	message := ""
	if name := d.strangerIn(x); name != "" {
		message = name + " is no column" // SQLite would take the name in quotes for a text
	} else if err := d.tries(ctx, d.text(items)); err != nil {
		message = err.Error()
	}
	if message != "" {
		d.note(transfer.LeftOut, d.t.Name, what+": SQLite does not take it: "+message, strings.TrimSpace(clause))
	}
	return message == ""
}

// tries runs a definition and takes it back.
func (w *writer) tries(ctx context.Context, statement string) error {
	tx, err := w.trial.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	_, err = tx.ExecContext(ctx, statement)
	return err
}

// strangerIn gives a bare name of an expression over the row that is no column of the table, as a variable of its context is.
func (d *tableDraft) strangerIn(x ast.Expr) (name string) {
	ast.Walk(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectStmt:
			return false
		case *ast.ColumnRef:
			if _, isClock := n.Clock(); n.Table.IsZero() && !isClock && d.t.ColumnIndex(n.Column.Text) < 0 {
				name = n.Column.Text
			}
		}
		return true
	})
	return name
}

// rules adds the key and the constraints.
func (d *tableDraft) rules(ctx context.Context) {
	n := d.t.Stmt()
	for i, k := range n.Constraints {
		if catalog.IsHiddenName(k.Name.Text) {
			k.Name = ast.Name{}
		}
		k.Tags, k.HasTags = nil, false
		switch k.Kind {
		case ast.PrimaryKeyClause:
			if len(k.Key) == 0 {
				d.note(transfer.LeftOut, d.t.Name, "SQLite has no table of at most one row", "primary key ()")
				continue
			}
		case ast.CheckClause:
			check := d.t.Checks[i-1]
			if k.Ops = 0; check.Ops != ast.OnInsert|ast.OnUpdate {
				d.note(transfer.LeftOut, d.t.Name, "SQLite has no CHECK for some operations alone", ast.Format(check.Node()))
				continue
			}
			k.OpsOrder = nil
			if !d.isTaken(ctx, append(d.bare(), ast.FormatWith(k, ast.Options{Quoted: true})), k.X, "a CHECK", ast.Format(k)) {
				continue
			}
		case ast.ForeignKeyClause:
			if p := k.References.Table.Schema; !p.IsZero() && types.Fold(p.Text) != types.Fold(d.t.Schema) {
				d.note(transfer.LeftOut, d.t.Name, "SQLite has no foreign keys to another schema", ast.Format(k))
				continue
			}
			k.References.Table.Schema = ast.Name{}
		}
		d.items = append(d.items, ast.FormatWith(k, ast.Options{Quoted: true}))
	}
}

// bare are the columns with their types alone.
func (d *tableDraft) bare() []string {
	out := make([]string, len(d.t.Columns))
	for i, c := range d.t.Columns {
		out[i] = strings.TrimSpace(quoted(c.Name) + " " + typeName(c.Type))
	}
	return out
}

// typeName gives the declared type under which SQLite keeps values as they are: with the affinity of the values, or none.
func typeName(t *types.Type) string {
	switch t {
	case types.TypeInteger, types.TypeReal, types.TypeNumeric, types.TypeText, types.TypeBlob, types.TypeBoolean:
		return t.Name
	case types.TypeTimestamp:
		return "INTEGER"
	case types.TypeAny:
		return ""
	}
	return "TEXT"
}

func quotedExpr(x ast.Expr) string { return ast.FormatWith(x, ast.Options{Quoted: true}) }
