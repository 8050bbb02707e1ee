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
// Who denies renames has said that there are none.
func likelyRenames(c *comparison, s *step) []Hazard {
	if c.opts.Policy == ast.RenameDeny {
		return nil
	}
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

// RenameHint is a hint that a schema file could have: what is declared as To is what is there as From.
type RenameHint struct {
	// Kind is "table" or "column".
	Kind     string
	From, To string
	// Item is the declaration of To, and Origin where it was read.
	Item   ast.Node
	Origin catalog.Origin
}

// Text is what is to be written behind the declaration.
func (h *RenameHint) Text() string {
	return fmt.Sprintf(`with tags ("%s" = %s)`, catalog.TagPreviousName, ast.AppendString(nil, h.From))
}

// hazard tells of the hint that is missing. Nobody knows whether it is a rename; when it is one, running the plan loses what it was to
// keep.
func (h *RenameHint) hazard() []Hazard {
	return []Hazard{{
		Code: LikelyRename, Severity: Destructive, Rename: h,
		Message: fmt.Sprintf("%s %s looks like %s under a new name", h.Kind, h.To, h.From),
		Avoid:   fmt.Sprintf("if it is, write %s behind %s", h.Text(), h.To),
	}}
}

// likelyTableRename looks for a new table with the columns of a dropped one, names and types.
func (c *comparison) likelyTableRename(s *step) []Hazard {
	if c.newShapes == nil {
		c.newShapes = map[string]*tablePair{}
		for _, p := range slices.Backward(c.tables) {
			if p.live == nil && p.def != nil && p.decl != nil {
				c.newShapes[columnsText(p.decl)] = p
			}
		}
	}
	if to, ok := c.newShapes[columnsText(s.table)]; ok && s.table.Maintained == nil {
		return (&RenameHint{"table", s.table.Name, to.name, to.def, to.origin}).hazard()
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

// likelyColumnRename looks for new columns of the same type, when no other column of it goes.
func (c *comparison) likelyColumnRename(p *tablePair, column string) []Hazard {
	gone := p.after.Columns[p.after.ColumnIndex(column)]
	isAlike := func(col *catalog.Column) bool {
		return col.Type == gone.Type && (col.Generated == nil) == (gone.Generated == nil)
	}
	var candidates []*columnPair
	for _, q := range p.columns {
		if q.live < 0 && isAlike(q.decl) {
			candidates = append(candidates, q)
		}
	}
	rivals := 0
	for _, i := range p.lost {
		if isAlike(p.after.Columns[i]) {
			rivals++
		}
	}
	if rivals > 1 {
		return nil
	}
	var out []Hazard
	for _, q := range candidates {
		out = append(out, (&RenameHint{"column", column, q.decl.Name, q.def, p.origin}).hazard()...)
	}
	return out
}
