package golden

import (
	"context"
	"fmt"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// Dump gives all that a connection sees as a text: the definitions of everything, the rows of every table in the order of its key, and
// once more in the order of each of its plain indexes.
func Dump(ctx context.Context, c *engine.Conn) (string, error) {
	cat, err := c.Catalog()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, d := range definitions(cat) {
		b.WriteString(d + "\n")
	}
	for _, schema := range cat.Schemas() {
		for _, t := range cat.TablesInOrder(schema) {
			for _, q := range dumpQueries(t) {
				if err := dumpRows(ctx, c, &b, q); err != nil {
					return "", err
				}
			}
		}
	}
	return b.String(), nil
}

// definitions lists the statements that make everything in a catalog, in the explicit form.
func definitions(cat *catalog.Snapshot) []string {
	explicit := catalog.FormatOptions{Form: catalog.Explicit}
	var out []string
	for _, schema := range cat.Schemas() {
		for _, t := range cat.TablesInOrder(schema) {
			out = append(out, catalog.FormatDefinition(t)...)
		}
		for _, v := range cat.ViewsInOrder(schema) {
			out = append(out, catalog.FormatView(v, explicit))
		}
		for _, a := range cat.AssertionsInOrder(schema) {
			out = append(out, catalog.FormatAssertion(a, explicit))
		}
	}
	return out
}

func dumpQueries(t *catalog.Table) []string {
	from := " from " + quoted(t.Schema) + "." + quoted(t.Name)
	out := []string{"select *" + from}
	for _, ix := range t.Indexes {
		if ix.Where != nil {
			continue
		}
		var members, order []string
		for _, m := range ix.Members {
			if m.X == nil {
				name := quoted(t.Columns[m.Column].Name)
				members, order = append(members, name), append(order, name+direction(m))
			}
		}
		if len(order) == len(ix.Members) {
			out = append(out, "select "+strings.Join(members, ", ")+from+" order by "+strings.Join(order, ", "))
		}
	}
	return out
}

func quoted(name string) string { return string(ast.AppendQuoted(nil, name)) }

func direction(m catalog.IndexMember) string {
	word := " collate " + quoted(m.Collation.Name)
	if m.Desc {
		word += " desc"
	}
	return word
}

func dumpRows(ctx context.Context, c *engine.Conn, b *strings.Builder, query string) (err error) {
	rows, err := c.Query(ctx, query, engine.Params{})
	if err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	defer func() {
		if e := rows.Close(); err == nil {
			err = e
		}
	}()
	b.WriteString(query + "\n")
	for {
		row, err := rows.Next()
		if row == nil || err != nil {
			return err
		}
		b.WriteString("  " + jsonLine(row) + "\n")
	}
}
