package differ

import (
	"fmt"

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
		if a, ok := n.Action.(*ast.DropColumn); ok && s.column == nil {
			return c.viewsOver(columnResource(s.pair.name, a.Column.Text))
		}
	}
	return nil
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
