package differ

import (
	"fmt"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// brokenViews finds views that stay as they are and read what a step drops: they fail when they are used.
func brokenViews(c *comparison, s *step) []Hazard {
	switch n := s.Stmt.(type) {
	case *ast.DropStmt:
		if (n.Kind == ast.TableObject || n.Kind == ast.ViewObject) && !c.isRecreated(s.Object) {
			return c.viewsOver(relationResource(s.Object))
		}
	case *ast.AlterStmt:
		switch a := n.Action.(type) {
		case *ast.DropColumn:
			if s.column == nil {
				return c.viewsOver(columnResource(s.pair.name, a.Column.Text))
			}
		case *ast.SetColumnOrder:
			return c.readersByPosition(s)
		}
	}
	return nil
}

// readersByPosition names the views that may show columns of a table in another order, or under another name of their lists. Statements of
// programs that INSERT without names, or SELECT *, nobody knows.
func (c *comparison) readersByPosition(s *step) []Hazard {
	var names []string
	for _, p := range c.views {
		reads := c.targetNames.ReadsOf(p.stmt.Query, c.targetNames.HomeOf(c.schema).Path, nil)
		if reads.IsWide(s.pair.decl) {
			names = append(names, p.stmt.Name.Name.Text)
		}
	}
	message := "inserts without names of columns and SELECT * meet the columns in another order"
	if names != nil {
		message += "; so do views: " + strings.Join(names, ", ")
	}
	return one(ReadsByPosition, Warning, fmt.Sprintf("table %s: %s", s.Object, message), "name the columns there")
}

// viewsOver gives a hazard for each unchanged view that reads something that goes.
func (c *comparison) viewsOver(gone resource) []Hazard {
	if c.dangling == nil {
		c.dangling = map[resource][]string{}
		for _, p := range c.views {
			if p.live == nil || p.drops() {
				continue
			}
			home := c.liveNames.HomeOf(p.live.Schema)
			seen := map[resource]bool{}
			for _, r := range c.endedReads(c.reach(p.live.Body, home.Path), nil, reader{p.live.Body, home}) {
				if !seen[r] {
					seen[r] = true
					c.dangling[r] = append(c.dangling[r], p.live.Name)
				}
			}
		}
	}
	var out []Hazard
	for _, name := range c.dangling[gone] {
		out = append(out, one(BreaksView, Warning, fmt.Sprintf("view %s still reads it and fails from then on", name), "change the view's declaration")...)
	}
	return out
}
