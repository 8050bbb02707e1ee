package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// tablePair is a declared table or materialized view with the live table that it is.
type tablePair struct {
	// def is the declared table; view the declared materialized view, whose columns, key and constraints are its body's and are not
	// compared. One of them is nil.
	def    *ast.CreateTableStmt
	view   *ast.CreateMaterializedViewStmt
	origin catalog.Origin
	// decl is what the declaration builds. It is nil when it cannot be built; then fault says why.
	decl  *catalog.Table
	fault error

	// live is the live table, nil for a new one. after is live once the renames of this plan are done: new names in its columns and
	// in everything that reads them.
	live, after *catalog.Table
	// name is what the table is called in every statement behind phase 1.
	name string

	columns []*columnPair
	// lost are the positions of live columns that go.
	lost []int
	// constraints are the named ones in declared order (docs/reference/declarative-schema.md): those of the table, then inline ones column
	// by column.
	constraints []*constraintPair
	// lostConstraints are the live ones that nothing declared is: named ones in catalog order, then others.
	lostConstraints []storedConstraint
	// unnamed are the live ones that have no address, in catalog order.
	unnamed []storedConstraint
	// hidden are the declared constraints without a name of their own, when these count (Options.Whole).
	hidden []*constraintPair
	// minted are the names given to CHECKs that have none; checkDrops are the CHECKs that go.
	minted     map[string]bool
	checkDrops []checkDrop

	// allConstraints remembers declaredConstraints.
	allConstraints []declaredConstraint

	// moved: the backing module of a maintained table changes, so it is dropped and created. detach and attach are phases 3 and 9.
	moved, detach, attach bool
	// isStale: the derivation is attached though it does not differ, since the plan would leave it stale.
	isStale           bool
	rekeyed, retagged bool
	// keyConflicted: the conflict action of the key differs. recontexted: the mutation context does. reordered: the columns do not stand
	// as declared.
	keyConflicted, recontexted, reordered bool
	// isMovedTo: a plain table is declared in another module.
	isMovedTo bool
	// isNoted: a note says that the table differs.
	isNoted bool
}

func (c *comparison) newTablePair(stmt ast.Stmt, origin catalog.Origin, fault error) *tablePair {
	p := &tablePair{origin: origin, fault: fault}
	p.def, _ = stmt.(*ast.CreateTableStmt)
	p.view, _ = stmt.(*ast.CreateMaterializedViewStmt)
	p.name = p.declaredName()
	p.decl = c.resolved.Snapshot.Table(c.schema, p.name)
	return p
}

// item is the declaration.
func (p *tablePair) item() ast.Stmt {
	if p.def != nil {
		return p.def
	}
	return p.view
}

func (p *tablePair) declaredName() string {
	if p.def != nil {
		return p.def.Name.Name.Text
	}
	return p.view.Name.Name.Text
}

func (p *tablePair) declaredTags() catalog.Tags {
	if p.def != nil {
		return catalog.BuildTags(p.def.Tags)
	}
	return catalog.BuildTags(p.view.Tags)
}

func (p *tablePair) node() ast.Node {
	if p.def != nil {
		return p.def
	}
	return p.view
}

// isMatched reports whether the table stays, so that its parts are compared.
func (p *tablePair) isMatched() bool { return p.live != nil && !p.moved }

// comparesShape reports whether columns, key and constraints are compared.
func (p *tablePair) comparesShape() bool { return p.isMatched() && p.def != nil }

// isRenamed reports whether the plan gives the table another name. A change of case is none.
func (p *tablePair) isRenamed() bool { return p.live != nil && !types.EqualFold(p.live.Name, p.name) }

// matchTables pairs declared tables and materialized views with live tables, maintained or not.
func (c *comparison) matchTables() error {
	declared := make([]subject, len(c.tables))
	for i, p := range c.tables {
		declared[i] = subject{p.declaredName(), p.declaredTags()}
	}
	var live []subject
	tables := slices.DeleteFunc(c.live.TablesInOrder(c.schema), (*catalog.Table).IsEngineManaged)
	for _, t := range tables {
		live = append(live, subject{t.Name, t.Tags})
	}
	m, err := match(c.opts.Policy, "table", c.opts.Whole, declared, live, func(i int, err error) error {
		return c.tables[i].origin.Fault(c.tables[i].node(), err)
	})
	if err != nil {
		return err
	}
	c.noteIdle("table", "", m, declared, live)
	for i, p := range c.tables {
		if m.of[i] < 0 {
			continue
		}
		if p.fault != nil && p.decl == nil {
			return p.fault
		}
		p.live = tables[m.of[i]]
		c.byLive[p.live] = p
		if !p.isRenamed() {
			p.name = p.live.Name
		}
		p.moved = p.live.Maintained != nil && p.decl.Maintained != nil && catalog.NormalModule(p.live) != catalog.NormalModule(p.decl)
	}
	for _, i := range m.left {
		c.lostTables = append(c.lostTables, tables[i])
	}
	return nil
}

// compareTables finds what differs within each matched table.
func (c *comparison) compareTables() error {
	for _, p := range c.tables {
		if !p.isMatched() {
			continue
		}
		if p.comparesShape() {
			if err := c.compareColumns(p); err != nil {
				return err
			}
			p.rekeyed = catalog.NormalKey(p.after) != catalog.NormalKey(p.decl)
			c.compareConstraints(p)
		}
		p.retagged = !sameTags(p.live.Tags, p.declaredTags())
	}
	return nil
}

// emitTableRenames emits phase 1.
func (c *comparison) emitTableRenames() {
	for _, p := range c.tables {
		if !p.isRenamed() {
			continue
		}
		stmt := &ast.AlterStmt{Kind: ast.TableObject, Name: c.qname(p.live.Name), Action: &ast.RenameTable{To: ast.Ident(p.name)}}
		s := c.emit(ast.TableObject, p.live.Name, stmt)
		s.table, s.Item, s.Origin = p.live, p.item(), p.origin
		s.end(relationResource(p.live.Name))
		if p.moved {
			s.give(goingResource(p.name)) // the relation of that name is the one that phase 7 creates
		} else {
			s.give(relationResource(p.name))
		}
	}
}

// emitTableDrops emits phase 4 in its own order: children before parents, among unrelated tables the last created first.
func (c *comparison) emitTableDrops() {
	for _, d := range c.droppedTables() {
		s := c.drop(ast.TableObject, c.gone[types.Fold(d.Name)])
		s.table, s.pair = d, c.byLive[d]
		s.end(relationResource(s.Object))
		s.need(goingResource(s.Object))
		s.let(c.heldColumns(d)...)
	}
}

// heldColumns are the columns of other tables that a dropped one holds on to. What it reads of other dropped relations holds nothing
// back: drops look at the end state.
func (c *comparison) heldColumns(t *catalog.Table) []resource {
	var out []resource
	for _, fk := range t.ForeignKeys {
		columns, _ := c.parentColumns(t, fk)
		out = append(out, columns...)
	}
	for e := range t.Expressions() {
		for _, r := range c.rowReads(t, e.Kind, e.X) {
			if r.kind == columnOf {
				out = append(out, r)
			}
		}
	}
	return out
}

// droppedTables gives the dropped tables, moved ones included, in the order in which they are dropped: walked depth-first along
// foreign keys, each after its parents, and the whole reversed (table drop order).
func (c *comparison) droppedTables() []*catalog.Table {
	var all []*catalog.Table
	for _, p := range c.tables {
		if p.moved {
			all = append(all, p.live)
		}
	}
	all = append(all, c.lostTables...)
	byName := make(map[string]*catalog.Table, len(all))
	for _, t := range all {
		byName[types.Fold(t.Name)] = t
	}
	seen := make(map[*catalog.Table]bool, len(all))
	order := make([]*catalog.Table, 0, len(all))
	var visit func(t *catalog.Table)
	visit = func(t *catalog.Table) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, fk := range t.ForeignKeys {
			if schema, parent := fk.ParentName(t); schema == c.schema {
				if up := byName[types.Fold(parent)]; up != nil {
					visit(up)
				}
			}
		}
		order = append(order, t)
	}
	for _, t := range all {
		visit(t)
	}
	slices.Reverse(order)
	return order
}

// findGone collects what phases 4 and 5 drop.
func (c *comparison) findGone() {
	for _, p := range c.tables {
		if p.moved {
			c.gone[types.Fold(p.live.Name)] = p.name
			c.recreated[types.Fold(p.live.Name)] = true
		}
	}
	for _, t := range c.lostTables {
		c.gone[types.Fold(t.Name)] = types.Fold(t.Name)
		c.recreated[types.Fold(t.Name)] = c.comes(t.Name)
	}
	for _, v := range c.lostViews {
		c.gone[types.Fold(v.Name)] = types.Fold(v.Name)
		c.recreated[types.Fold(v.Name)] = c.comes(v.Name)
	}
	for again := true; again; {
		again = false
		for _, p := range c.views {
			if p.live == nil || c.isGone(p.live.Name) {
				continue
			}
			p.drifts = p.drifts || c.missesRenames(p)
			if p.drops() {
				p.retagged, again = false, true
				c.gone[types.Fold(p.live.Name)] = p.live.Name
				c.recreated[types.Fold(p.live.Name)] = !p.isRenamed() || c.comes(p.live.Name)
			}
		}
	}
}

// missesRenames reports whether renames of columns that the body of a view names do not come to it: it reads them through something that
// is dropped before they run.
func (c *comparison) missesRenames(p *viewPair) bool {
	return p.after != p.live && c.reachesAny(c.viewReach(p.live), c.isGone)
}

// comes reports whether the plan makes a relation of the name, or gives the name to one.
func (c *comparison) comes(name string) bool {
	if p := c.byName[types.Fold(name)]; p != nil {
		return !p.isMatched() || p.isRenamed()
	}
	v := c.viewByName[types.Fold(name)]
	return v != nil && (v.live == nil || v.drops())
}

// emitAlterations emits the statements of one table in phase 8.
func (c *comparison) emitAlterations(p *tablePair) {
	if !p.isMatched() {
		return
	}
	if p.comparesShape() {
		c.emitColumnRenames(p)
		c.emitAddedColumns(p)
		for _, q := range p.columns {
			c.emitColumnChanges(p, q)
		}
		c.emitConstraintRenames(p)
		c.emitConstraintDrops(p)
		c.emitContext(p)
		c.emitKey(p)
		c.emitConstraintAdds(p)
		c.emitRebuilds(p)
		c.emitDroppedColumns(p)
		c.emitAttributes(p)
	}
	c.emitTags(p)
}
