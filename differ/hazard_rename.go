package differ

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// likelyRenames finds what goes while something just like it comes: a rename without a hint.
func likelyRenames(c *comparison, s *step) []Hazard {
	switch n := s.Stmt.(type) {
	case *ast.DropStmt:
		if n.Kind == ast.TableObject && s.pair == nil {
			return c.likelyTableRename(s)
		}
	case *ast.AlterStmt:
		if a, ok := n.Action.(*ast.DropColumn); ok && s.column == nil {
			return c.likelyColumnRename(s.pair, a.Column.Text)
		}
	}
	return nil
}

func renameHint(kind, from, to string) []Hazard {
	tag := fmt.Sprintf(`with tags ("%s" = %s)`, catalog.TagPreviousName, ast.AppendString(nil, from))
	return one(LikelyRename, Warning, fmt.Sprintf("%s %s looks like %s under a new name", kind, to, from),
		fmt.Sprintf("if it is, write %s behind %s", tag, to))
}

// likelyTableRename looks for a new table with the columns of a dropped one, names and types.
func (c *comparison) likelyTableRename(s *step) []Hazard {
	if c.newShapes == nil {
		c.newShapes = map[string]string{}
		for _, p := range slices.Backward(c.tables) {
			if p.live == nil && p.def != nil && p.decl != nil {
				c.newShapes[columnsText(p.decl)] = p.name
			}
		}
	}
	if to, ok := c.newShapes[columnsText(s.table)]; ok && s.table.Maintained == nil {
		return renameHint("table", s.table.Name, to)
	}
	return nil
}

// columnsText is a text that tables with the same columns share, in any order.
func columnsText(t *catalog.Table) string {
	columns := make([]string, len(t.Columns))
	for i, col := range t.Columns {
		columns[i] = types.Fold(col.Name) + "\x00" + col.Type.Name
	}
	slices.Sort(columns)
	return strings.Join(columns, "\x00")
}

// likelyColumnRename looks for a new column of the same type; one that is the only candidate.
func (c *comparison) likelyColumnRename(p *tablePair, column string) []Hazard {
	gone := p.after.Columns[p.after.ColumnIndex(column)]
	isAlike := func(col *catalog.Column) bool {
		return col.Type == gone.Type && (col.Generated == nil) == (gone.Generated == nil)
	}
	candidate := ""
	for _, q := range p.columns {
		if q.live < 0 && isAlike(q.decl) {
			if candidate != "" {
				return nil
			}
			candidate = q.decl.Name
		}
	}
	rivals := 0
	for _, i := range p.lost {
		if isAlike(p.after.Columns[i]) {
			rivals++
		}
	}
	if candidate == "" || rivals > 1 {
		return nil
	}
	return renameHint("column", column, candidate)
}
