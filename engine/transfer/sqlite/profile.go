package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/engine/transfer"
	"github.com/quereus/quereus-migrate/engine/transfer/foreign"
	"github.com/quereus/quereus-migrate/types"
)

// Profile counts the values of each column by their kind, and finds out what keys and foreign keys need to know.
func (s *Source) Profile(ctx context.Context, t *foreign.Table) (*transfer.Profile, error) {
	p := &transfer.Profile{Columns: make([]transfer.ColumnProfile, len(t.Columns)), Orphans: make([]int64, len(t.ForeignKeys))}
	if err := s.kinds(ctx, t, p); err != nil {
		return nil, err
	}
	if err := s.keys(ctx, t, p); err != nil {
		return nil, err
	}
	return p, s.orphans(ctx, t, p)
}

// kinds reads the rows once, in the driver's values: cheaper than asking SQLite for the type of each.
func (s *Source) kinds(ctx context.Context, t *foreign.Table, p *transfer.Profile) error {
	var items []string
	for _, c := range t.Columns {
		items = append(items, "+"+quoted(c.Name))
	}
	query := "select " + strings.Join(items, ", ") + " from " + quoted(t.Name)
	return s.each(ctx, query, func(row []driver.Value) error {
		p.Rows++
		for i, v := range row {
			count(&p.Columns[i], t.Columns[i].Type, v)
		}
		return nil
	})
}

func count(c *transfer.ColumnProfile, declared string, v driver.Value) {
	switch v := v.(type) {
	case int64:
		c.Integers++
		if v == 0 || v == 1 {
			c.Truths++
		}
	case float64:
		c.Reals++
	case string:
		c.Text(declared, v)
		if !utf8.ValidString(v) {
			c.IllFormed++
		}
	case []byte:
		c.Blobs++
	}
}

// keys looks for rows that a key cannot tell apart.
func (s *Source) keys(ctx context.Context, t *foreign.Table, p *transfer.Profile) (err error) {
	if t.Key == nil {
		var all []string
		for _, c := range t.Columns {
			all = append(all, c.Name)
		}
		p.HasEqualRows, err = s.repeats(ctx, t, all, "")
		return err
	}
	var members, nulls []string
	for _, m := range t.Key.Members {
		c := t.Column(m.Column)
		if c == nil {
			return types.Errorf(types.CORRUPT, "%s: the key of table %s names no column", s.name, t.Name)
		}
		members = append(members, m.Column)
		if !c.NotNull {
			nulls = append(nulls, quoted(m.Column)+" is null")
		}
	}
	if nulls != nil {
		p.HasEqualKeys, err = s.repeats(ctx, t, members, " where "+strings.Join(nulls, " or "))
	}
	return err
}

// repeats reports whether two rows are equal in the columns.
func (s *Source) repeats(ctx context.Context, t *foreign.Table, columns []string, where string) (found bool, err error) {
	var by []string
	for _, c := range columns {
		by = append(by, quoted(c))
	}
	query := fmt.Sprintf("select 1 from %s%s group by %s having count(*) > 1 limit 1", quoted(t.Name), where, strings.Join(by, ", "))
	err = s.each(ctx, query, func([]driver.Value) error {
		found = true
		return nil
	})
	return found, err
}

// orphans counts the rows without a parent.
func (s *Source) orphans(ctx context.Context, t *foreign.Table, p *transfer.Profile) error {
	for i, fk := range t.ForeignKeys {
		n, err := s.orphansOf(ctx, t, fk)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			n = -1 // the parent has not the columns
		}
		p.Orphans[i] = n
	}
	return nil
}

func (s *Source) orphansOf(ctx context.Context, t *foreign.Table, fk *foreign.ForeignKey) (n int64, err error) {
	parents := fk.ParentColumns
	if parents == nil {
		if parents, err = s.keyOf(ctx, fk.Parent); err != nil {
			return 0, err
		}
	}
	if len(parents) != len(fk.Columns) {
		return -1, nil
	}
	var there, same []string
	for i, c := range fk.Columns {
		there = append(there, "c."+quoted(c)+" is not null")
		same = append(same, "p."+quoted(parents[i])+" = c."+quoted(c))
	}
	query := fmt.Sprintf("select count(*) from %s as c where %s and not exists (select 1 from %s as p where %s)",
		quoted(t.Name), strings.Join(there, " and "), quoted(fk.Parent), strings.Join(same, " and "))
	err = s.each(ctx, query, func(row []driver.Value) error {
		n, _ = row[0].(int64)
		return nil
	})
	return n, err
}

// keyOf lists the columns of a table's key.
func (s *Source) keyOf(ctx context.Context, table string) (columns []string, err error) {
	err = s.each(ctx, "select name from pragma_table_info("+literal(table)+") where pk > 0 order by pk", func(row []driver.Value) error {
		columns = append(columns, text(row[0]))
		return nil
	})
	return columns, err
}

// Rows reads the rows in the order in which they lie.
func (s *Source) Rows(ctx context.Context, t *foreign.Table, columns []string, numbered bool, f func([][]types.Value) error) error {
	var items []string
	for _, c := range columns {
		items = append(items, "+"+quoted(c)) // a bare column of a declared date would come as a time
	}
	if numbered {
		items = append(items, s.rowNumber(t))
	}
	b := batch{width: len(items), f: f}
	err := s.each(ctx, "select "+strings.Join(items, ", ")+" from "+quoted(t.Name), b.add)
	if err != nil {
		return err
	}
	return b.flush()
}

// rowNumber is the expression that tells the rows of a table apart.
func (s *Source) rowNumber(t *foreign.Table) string {
	for _, name := range []string{"rowid", "_rowid_", "oid"} {
		if t.Column(name) == nil && !t.WithoutRowid {
			return name
		}
	}
	return "row_number() over ()"
}

const batchRows = 1000

// batch gathers rows.
type batch struct {
	width  int
	values []types.Value
	rows   [][]types.Value
	f      func([][]types.Value) error
}

func (b *batch) add(row []driver.Value) error {
	if b.values == nil {
		b.values, b.rows = make([]types.Value, 0, batchRows*b.width), make([][]types.Value, 0, batchRows)
	}
	from := len(b.values)
	for _, v := range row {
		b.values = append(b.values, value(v))
	}
	b.rows = append(b.rows, b.values[from:len(b.values):len(b.values)])
	if len(b.rows) == batchRows {
		return b.flush()
	}
	return nil
}

func (b *batch) flush() error {
	rows := b.rows
	b.values, b.rows = nil, nil
	if rows == nil {
		return nil
	}
	return b.f(rows)
}

// value takes a value of the driver over.
func value(v driver.Value) types.Value {
	switch v := v.(type) {
	case int64:
		return types.Int(v)
	case float64:
		return types.Real(v)
	case string:
		if !utf8.ValidString(v) {
			return types.TextFromBytes([]byte(v))
		}
		return types.Text(v)
	case []byte:
		return types.Blob(slices.Clone(v))
	}
	return types.Null
}
