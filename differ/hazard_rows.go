package differ

import (
	"fmt"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// lostRows finds steps that lose rows or values: dropped tables, dropped columns, a derivation over a table with rows of its own.
func lostRows(c *comparison, s *step) []Hazard {
	switch n := s.Stmt.(type) {
	case *ast.DropStmt:
		if n.Kind == ast.TableObject {
			return c.droppedRows(s)
		}
	case *ast.AlterStmt:
		switch a := n.Action.(type) {
		case *ast.DropColumn:
			return c.droppedValues(s, a.Column.Text)
		case *ast.SetGenerated:
			if a.X != nil && s.column.from.Generated == nil && c.hasRows(s) {
				return c.overwrittenValues(s, a)
			}
		case *ast.SetMaintained:
			if s.table.Maintained == nil && c.hasRows(s) {
				return one(OverwritesRows, Destructive,
					fmt.Sprintf("the rows of table %s become those of its query: others are deleted", s.Object),
					"compare the rows with the query first")
			}
		}
	}
	return nil
}

// overwrittenValues tells of the values of a plain column that becomes generated.
func (c *comparison) overwrittenValues(s *step, a *ast.SetGenerated) []Hazard {
	n := c.opts.Stats.rows(s.table)
	if f, ok := c.facts(s); ok {
		if n = f.Values; n == 0 {
			return nil
		}
	}
	return one(OverwritesValues, Destructive, fmt.Sprintf("the values of column %s.%s in %s become those of its expression",
		s.Object, a.Column.Text, Effect{Rows: n}.count()), "add a new generated column")
}

func (c *comparison) droppedRows(s *step) []Hazard {
	rows := c.opts.Stats.rows(s.table)
	message, severity := fmt.Sprintf("drops table %s with %s", s.Object, Effect{Rows: rows}.count()), Destructive
	switch {
	case s.table.Maintained != nil:
		return one(DropsRows, Info, message+"; they are derived and can be derived again", "")
	case rows == 0:
		severity = Info
	}
	if f, ok := c.facts(s); ok && f.Values == 0 {
		message, severity = message+" that hold nothing but NULL", Info
	}
	return one(DropsRows, severity, message, "keep the table declared, or export its rows first")
}

func (c *comparison) droppedValues(s *step, column string) []Hazard {
	if s.column != nil && s.column.from.Generated != nil { // it is rebuilt
		return nil
	}
	i := s.pair.after.ColumnIndex(column)
	rows := c.opts.Stats.rows(s.table)
	message, severity := fmt.Sprintf("drops the values of column %s.%s in %s", s.Object, column, Effect{Rows: rows}.count()), Destructive
	if rows == 0 || s.pair.after.Columns[i].Generated != nil {
		severity = Info
	}
	if f, ok := c.facts(s); ok {
		message = fmt.Sprintf("drops the values of column %s.%s in %s", s.Object, column, Effect{Rows: f.Values}.count())
		if f.Values == 0 {
			return one(DropsValues, Info, fmt.Sprintf("drops column %s.%s, which holds no values", s.Object, column), "")
		}
	}
	return one(DropsValues, severity, message, "keep the column declared, or move its values first")
}
