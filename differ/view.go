package differ

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// viewPair is a declared view with the live one that it is.
type viewPair struct {
	stmt   *ast.CreateViewStmt
	origin catalog.Origin
	decl   *catalog.View
	live   *catalog.View // nil for a new one
	// after is live behind the renames of the plan.
	after *catalog.View
	// drifts: the body or its list of columns differs. retagged: only tags do.
	drifts, retagged bool
}

// isRenamed reports whether a hint gives the view another name.
func (p *viewPair) isRenamed() bool {
	return p.live != nil && !types.EqualFold(p.live.Name, p.stmt.Name.Name.Text)
}

// drops reports whether the live view is dropped: a view has no rename.
func (p *viewPair) drops() bool { return p.live != nil && (p.drifts || p.isRenamed()) }

func (c *comparison) matchViews() error {
	declared := make([]subject, len(c.views))
	for i, p := range c.views {
		declared[i] = subject{p.stmt.Name.Name.Text, p.decl.Tags}
	}
	views := c.live.ViewsInOrder(c.schema)
	live := make([]subject, len(views))
	for i, v := range views {
		live[i] = subject{v.Name, v.Tags}
	}
	m, err := match(c.opts.Policy, "view", c.opts.Whole, declared, live, func(i int, err error) error {
		return c.originOf(c.views[i].stmt).Fault(c.views[i].stmt, err)
	})
	if err != nil {
		return err
	}
	c.noteIdle("view", "", m, declared, live)
	for i, p := range c.views {
		if m.of[i] >= 0 {
			p.live = views[m.of[i]]
		}
	}
	for _, i := range m.left {
		c.lostViews = append(c.lostViews, views[i])
	}
	return nil
}

// originOf gives the place of an item, for an error; it is looked for only then.
func (c *comparison) originOf(stmt ast.Stmt) catalog.Origin {
	for i := range c.declared.Items {
		if c.declared.Items[i].Stmt == stmt {
			return c.declared.Items[i].Origin
		}
	}
	return catalog.Origin{}
}

func (c *comparison) compareViews() {
	for _, p := range c.views {
		if p.live == nil {
			continue
		}
		p.after = c.carriedView(p.live)
		p.drifts = !c.sameView(p)
		p.retagged = !p.drops() && !sameTags(p.live.Tags, p.decl.Tags)
	}
}

func (c *comparison) carriedView(v *catalog.View) *catalog.View {
	body := c.carriedBody(v.Schema, v.Body)
	if body == v.Body {
		return v
	}
	n := *v
	n.Body = body
	return &n
}

func (c *comparison) sameView(p *viewPair) bool {
	if catalog.NormalView(p.after) == catalog.NormalView(p.decl) {
		return true
	}
	a, b := *p.after, *p.decl
	a.Body, b.Body = c.plain(a.Body).(*ast.SelectStmt), c.plain(b.Body).(*ast.SelectStmt)
	return catalog.NormalView(&a) == catalog.NormalView(&b)
}

// emitViewDrops emits phase 5: drifted or renamed ones in declared order, then undeclared ones in live order.
func (c *comparison) emitViewDrops() {
	for _, p := range c.views {
		if p.drops() {
			c.drop(ast.ViewObject, p.live.Name).end(relationResource(p.live.Name))
		}
	}
	for _, v := range c.lostViews {
		c.drop(ast.ViewObject, types.Fold(v.Name)).end(relationResource(v.Name))
	}
}

// emitViewTags emits the first half of phase 11.
func (c *comparison) emitViewTags() {
	for _, p := range c.views {
		if p.retagged {
			c.setTags(ast.ViewObject, p.live.Name, p.decl.Tags)
		}
	}
}
