package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// newColumn is a column of a declared relation that does not exist under its name before phase 8, with the steps' resources that
// bring it.
type newColumn struct {
	name string
	from []resource
}

// columnScope picks the columns that newColumnsOf gives.
type columnScope struct {
	relation string // folded
	awaited  awaited
}

// awaited says which columns a text has to wait for.
type awaited uint8

const (
	// newNames are those that the plan adds or renames.
	newNames awaited = iota
	// newValues counts the rebuilt columns too. A view or index may be created before one of them goes; a CHECK or an expression of a
	// column has to wait until it is back.
	newValues
	// rebuiltAlone are the rebuilt ones alone.
	rebuiltAlone
	// newCollations are those that get another collation: until then what compares two of them may have no meaning.
	newCollations
)

// newColumnsOf gives the new columns of a declared relation: those that this plan adds or renames, and in a view or materialized view
// those that come through from its sources, also when the plan creates it, since its text may not say them (a star). A new table
// has none: it is awaited as a whole.
func (c *comparison) newColumnsOf(name string, what awaited) []newColumn {
	key := columnScope{types.Fold(name), what}
	known, met := c.newColumns[key]
	if met {
		return known
	}
	c.newColumns[key] = nil // for a body that reads itself
	var out []newColumn
	switch p := c.byName[key.relation]; {
	case p == nil:
		if v := c.viewByName[key.relation]; v != nil {
			out = c.publishedNew(v.stmt.Columns, v.stmt.Query, what)
		}
	case !p.isMatched():
		if p.view != nil {
			out = c.publishedNew(p.view.Columns, p.view.Query, what)
		}
	case p.attach:
		out = c.attachedNew(p, what)
	case p.decl.Maintained != nil:
		out = c.publishedNew(columnNodes(p.decl.Maintained.Columns), p.decl.Maintained.Body, what)
	default:
		out = p.ownNew(what)
	}
	c.newColumns[key] = out
	return out
}

// ownNew gives the columns that the plan adds to a table, renames in it or, where that is asked for, rebuilds or collates anew.
func (p *tablePair) ownNew(what awaited) []newColumn {
	var out []newColumn
	for _, q := range p.columns {
		switch {
		case what == newCollations:
			if q.live >= 0 && q.recollated {
				out = append(out, newColumn{q.decl.Name, []resource{domainResource(p.name, q.decl.Name)}})
			}
		case what == rebuiltAlone:
			if q.rebuilt {
				out = append(out, newColumn{q.decl.Name, []resource{columnResource(p.name, q.decl.Name)}})
			}
		case q.live < 0 || q.oldName != "" || what == newValues && q.rebuilt:
			out = append(out, newColumn{q.decl.Name, []resource{columnResource(p.name, q.decl.Name)}})
		}
	}
	return out
}

// attachedNew gives the columns that a table has only once its declared derivation is attached.
func (c *comparison) attachedNew(p *tablePair, what awaited) []newColumn {
	out := p.ownNew(what)
	names, _ := c.targetNames.Columns(c.schema, p.declaredName())
	for _, n := range names {
		if p.after.ColumnIndex(n) < 0 {
			out = append(out, newColumn{n, []resource{derivationResource(p.name)}})
		}
	}
	return out
}

// publishedNew gives the columns of a body that pass new columns of its sources on. Which source brings which is not told apart.
func (c *comparison) publishedNew(names []ast.Name, body *ast.SelectStmt, what awaited) []newColumn {
	home := c.targetNames.HomeOf(c.schema)
	marks, from := c.marks(body, home.Path, nil, what)
	if marks == nil {
		return nil
	}
	var out []newColumn
	for i, p := range resolve.Columns(body, home, marks...) {
		if p.Name == p.After {
			continue
		}
		name := p.Name
		if i < len(names) {
			name = names[i].Text
		}
		out = append(out, newColumn{name, from})
	}
	return out
}

// mark begins a name that no text can hold, for finding out what a text mentions.
const mark = "\x00"

// marks gives a renaming for each new column of what a declared text reads, and of the table own whose row it is about.
func (c *comparison) marks(n ast.Node, path []string, own *tablePair, what awaited) (marks []resolve.Renaming, from []resource) {
	add := func(name string) {
		for _, col := range c.newColumnsOf(name, what) {
			marks = append(marks, resolve.Renaming{Schema: c.schema, Name: name, Column: col.name, To: mark + col.name})
			from = append(from, col.from...)
		}
	}
	if own != nil {
		add(own.declaredName())
	}
	for _, q := range resolve.Sources(n) {
		if name, ok := c.ownTarget(q, path); ok && (own == nil || !types.EqualFold(name, own.declaredName())) {
			add(name)
		}
	}
	return marks, from
}

// ownTarget resolves a name in a declared text to a relation of the schema.
func (c *comparison) ownTarget(q ast.QName, path []string) (name string, ok bool) {
	switch r := c.source(c.target, q, path).(type) {
	case *catalog.Table:
		return r.Name, r.Schema == c.schema
	case *catalog.View:
		return r.Name, r.Schema == c.schema
	}
	return "", false
}

// columnNeeds gives what brings the new columns that a declared text mentions. A star mentions every column that it stands for.
func (c *comparison) columnNeeds(n ast.Node, home resolve.Home, own *tablePair, what awaited) []resource {
	marks, _ := c.marks(n, home.Path, own, what)
	if marks == nil {
		return nil
	}
	var out []resource
	for _, name := range c.starred(n, home) {
		for _, col := range c.newColumnsOf(name, what) {
			out = append(out, col.from...)
		}
	}
	if !mentionsAny(n, home, marks) {
		return out
	}
	for _, m := range marks {
		if !mentionsAny(n, home, []resolve.Renaming{m}) {
			continue
		}
		for _, col := range c.newColumnsOf(m.Name, what) {
			if col.name == m.Column {
				out = append(out, col.from...)
			}
		}
	}
	return out
}

// starred gives the relations of the schema for whose columns a star in a declared text stands.
func (c *comparison) starred(n ast.Node, home resolve.Home) []string {
	var out []string
	for _, q := range resolve.Starred(n, home) {
		if isNamed(q.Schema, c.schema) {
			out = append(out, q.Name.Text)
		}
	}
	return out
}

// columnWaits gives the columns that go and that a star in a declared text stands for until then.
func (c *comparison) columnWaits(n ast.Node, home resolve.Home) []resource {
	var out []resource
	seen := map[string]bool{}
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		for _, name := range c.starred(n, home) {
			key := types.Fold(name)
			if seen[key] {
				continue
			}
			seen[key] = true
			if p := c.byName[key]; p != nil && p.isMatched() {
				for _, i := range p.lost {
					out = append(out, columnResource(p.name, p.after.Columns[i].Name))
				}
			} else if v := c.viewByName[key]; v != nil {
				visit(v.stmt.Query)
			}
		}
	}
	visit(n)
	return out
}

func mentionsAny(n ast.Node, home resolve.Home, marks []resolve.Renaming) bool {
	_, changed := resolve.Rename(n, home, marks...)
	return changed
}

// rowNeeds gives what a declared expression over the row of a matched table needs: new columns, and the relations that it names. A
// CHECK may name one that is missing, but until it is there a bare name in the subquery can mean a column of the row.
func (c *comparison) rowNeeds(p *tablePair, kind catalog.ExpressionKind, x ast.Expr) []resource {
	return append(c.rowColumnNeeds(p, kind, x), c.relationNeeds(x, c.schema)...)
}

func (c *comparison) rowColumnNeeds(p *tablePair, kind catalog.ExpressionKind, x ast.Expr) []resource {
	home := c.targetNames.RowHome(p.decl, kind)
	return slices.Concat(c.columnNeeds(x, home, p, newValues), c.columnNeeds(x, home, p, newCollations), c.viewNeeds(x, home.Path))
}

// viewNeeds gives the rebuilt columns that the views mention which a declared text reads, through any chain of them: what reads such a view
// holds on to all that it mentions.
func (c *comparison) viewNeeds(n ast.Node, path []string) []resource {
	if !c.hasRebuilds() {
		return nil
	}
	var out []resource
	home := c.targetNames.HomeOf(c.schema)
	seen := map[*viewPair]bool{}
	var visit func(n ast.Node, path []string)
	visit = func(n ast.Node, path []string) {
		for _, q := range resolve.Sources(n) {
			name, ok := c.ownTarget(q, path)
			v := c.viewByName[types.Fold(name)]
			if !ok || v == nil || seen[v] {
				continue
			}
			seen[v] = true
			out = append(out, c.columnNeeds(v.stmt.Query, home, nil, rebuiltAlone)...)
			visit(v.stmt.Query, home.Path)
		}
	}
	visit(n, path)
	return out
}

// bodyColumnNeeds gives what such a body needs of columns.
func (c *comparison) bodyColumnNeeds(body *ast.SelectStmt) []resource {
	home := c.targetNames.HomeOf(c.schema)
	return append(c.columnNeeds(body, home, nil, newNames), c.columnNeeds(body, home, nil, newCollations)...)
}

// bodyNeeds gives what the body of a declared view or maintained table needs: the relations it reads, and their new columns.
func (c *comparison) bodyNeeds(body *ast.SelectStmt) []resource {
	home := c.targetNames.HomeOf(c.schema)
	return append(c.bodyColumnNeeds(body), c.relationNeeds(body, home.Path...)...)
}

// bodyWaits and rowWaits give what has to be gone before such a text stands.
func (c *comparison) bodyWaits(body ast.Node) []resource {
	return c.columnWaits(body, c.targetNames.HomeOf(c.schema))
}

func (c *comparison) rowWaits(p *tablePair, kind catalog.ExpressionKind, x ast.Expr) []resource {
	return c.columnWaits(x, c.targetNames.RowHome(p.decl, kind))
}

// relationNeeds gives the relations of the schema that a declared text reads.
func (c *comparison) relationNeeds(n ast.Node, path ...string) []resource {
	names := c.targetSources(n, path)
	out := make([]resource, len(names))
	for i, name := range names {
		out[i] = relationResource(name)
	}
	return out
}

// targetSources gives the declared relations that a declared text reads: those it names, and through views that stay as they are what
// these read. Each stands once, behind those that it reads itself.
func (c *comparison) targetSources(n ast.Node, path []string) []string {
	var out []string
	seen := map[string]bool{}
	var visit func(n ast.Node, path []string)
	visit = func(n ast.Node, path []string) {
		for _, q := range resolve.Sources(n) {
			name, ok := c.ownTarget(q, path)
			if !ok || seen[types.Fold(name)] {
				continue
			}
			seen[types.Fold(name)] = true
			if v := c.viewByName[types.Fold(name)]; v != nil && v.live != nil && !v.drops() {
				visit(v.stmt.Query, c.targetNames.HomeOf(c.schema).Path)
			}
			out = append(out, name)
		}
	}
	visit(n, path)
	return out
}

func columnNodes(names []string) []ast.Name {
	out := make([]ast.Name, len(names))
	for i, n := range names {
		out[i] = ast.Ident(n)
	}
	return out
}
