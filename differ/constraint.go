package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// constraintPair is a declared constraint that is addressed by name, with the live one that it is.
type constraintPair struct {
	node *ast.TableConstraint // in the table form
	tags catalog.Tags
	// inline is the column that the constraint is written on, nil for one of the table.
	inline *columnPair
	// live is nil for a new one; oldName is its name if the plan gives it another one.
	live    *storedConstraint
	oldName string
	// drifts: the body differs. isForced: it reads or names something that goes and comes back, and would hold that back. isLost: it
	// goes with a rebuilt column of its table.
	drifts, isForced, isLost bool
	// redeferred: the deferrability of a foreign key that stays differs.
	redeferred bool
}

// isRedefined reports whether the live constraint goes and the declared one is added.
func (q *constraintPair) isRedefined() bool {
	return q.live != nil && (q.drifts || q.isForced || q.isLost)
}

// comesWithColumn reports whether the statement that adds a column brings the constraint.
func (q *constraintPair) comesWithColumn() bool {
	return q.inline != nil && (q.inline.live < 0 || q.inline.rebuilt)
}

// storedConstraint is a constraint of a table in the catalog.
type storedConstraint struct {
	ref  catalog.ConstraintRef
	name string
	tags catalog.Tags
	// isReleased: it is dropped in phase 3a.
	isReleased bool
}

// storedConstraints lists the constraints of a table in catalog order: CHECK, UNIQUE, FOREIGN KEY.
func storedConstraints(t *catalog.Table) []storedConstraint {
	n := len(t.Checks) + len(t.Uniques) + len(t.ForeignKeys)
	if n == 0 {
		return nil
	}
	out := make([]storedConstraint, 0, n)
	for i, k := range t.Checks {
		out = append(out, storedConstraint{ref: catalog.ConstraintRef{Class: catalog.CheckClass, Position: i}, name: k.Name, tags: k.Tags})
	}
	for i, u := range t.Uniques {
		out = append(out, storedConstraint{ref: catalog.ConstraintRef{Class: catalog.UniqueClass, Position: i}, name: u.Name, tags: u.Tags})
	}
	for i, fk := range t.ForeignKeys {
		out = append(out, storedConstraint{ref: catalog.ConstraintRef{Class: catalog.ForeignKeyClass, Position: i}, name: fk.Name, tags: fk.Tags})
	}
	return out
}

// storedByName parts the live constraints of a matched table into those that a declaration can address and the others.
func (p *tablePair) storedByName() (named, hidden []storedConstraint) {
	for _, k := range storedConstraints(p.after) {
		if catalog.IsHiddenName(k.name) {
			hidden = append(hidden, k)
		} else {
			named = append(named, k)
		}
	}
	return named, hidden
}

// body gives what a stored constraint of t says.
func (k *storedConstraint) body(t *catalog.Table) string {
	switch i := k.ref.Position; k.ref.Class {
	case catalog.CheckClass:
		return catalog.NormalCheck(t.Checks[i])
	case catalog.UniqueClass:
		return catalog.NormalUnique(t, t.Uniques[i])
	default:
		return catalog.NormalForeignKey(t, t.ForeignKeys[i])
	}
}

// columns gives the names of the columns of t that the constraint is defined over; none for a CHECK.
func (k *storedConstraint) columns(t *catalog.Table) []string {
	switch i := k.ref.Position; k.ref.Class {
	case catalog.UniqueClass:
		return t.ColumnNames(t.Uniques[i].Columns)
	case catalog.ForeignKeyClass:
		return t.ColumnNames(t.ForeignKeys[i].Columns)
	}
	return nil
}

// declaredConstraint is a constraint of a declared table, named or not.
type declaredConstraint struct {
	node   *ast.TableConstraint
	inline *columnPair
}

// declaredConstraints lists the constraints of a declared table in declared order: the table's as written, then inline ones column by
// column. Its columns are paired by then.
func (p *tablePair) declaredConstraints() []declaredConstraint {
	if p.allConstraints != nil {
		return p.allConstraints
	}
	out := []declaredConstraint{}
	for _, k := range p.def.Constraints {
		if k.Kind != ast.PrimaryKeyClause {
			out = append(out, declaredConstraint{k, nil})
		}
	}
	for _, q := range p.columns {
		for _, k := range catalog.InlineConstraints(q.def) {
			out = append(out, declaredConstraint{k, q})
		}
	}
	p.allConstraints = out
	return out
}

// matchConstraints pairs the named constraints of each matched table.
func (c *comparison) matchConstraints() error {
	for _, p := range c.tables {
		if !p.comparesShape() {
			continue
		}
		if err := c.pairConstraints(p); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) pairConstraints(p *tablePair) error {
	var declared []subject
	for _, k := range p.declaredConstraints() {
		if !catalog.IsHiddenName(k.node.Name.Text) {
			q := &constraintPair{node: k.node, inline: k.inline, tags: catalog.BuildTags(k.node.Tags)}
			p.constraints = append(p.constraints, q)
			declared = append(declared, subject{k.node.Name.Text, q.tags})
		}
	}
	stored, hidden := p.storedByName()
	p.unnamed = hidden
	live := make([]subject, len(stored))
	for i, k := range stored {
		live[i] = subject{k.name, k.tags}
	}
	m, err := match(c.opts.Policy, "constraint", c.opts.Whole, declared, live, func(i int, err error) error {
		return p.origin.Fault(p.constraints[i].node, err)
	})
	if err != nil {
		return err
	}
	c.noteMisplaced(p, &m)
	c.noteIdle("constraint", p.name, m, declared, append(live, subject{}))
	for i, q := range p.constraints {
		if m.of[i] < 0 {
			continue
		}
		q.live = &stored[m.of[i]]
		if !isNamed(q.node.Name, types.Fold(q.live.name)) {
			q.oldName = q.live.name
		}
	}
	for _, i := range m.left {
		p.lostConstraints = append(p.lostConstraints, stored[i])
	}
	if c.opts.Whole {
		c.pairHidden(p)
	}
	return nil
}

// compareConstraints finds which named constraints of a matched table say something else than declared. One that is written on a
// new column comes with that, so what has its name has to go.
func (c *comparison) compareConstraints(p *tablePair) {
	for _, q := range p.constraints {
		if q.live != nil {
			q.drifts = q.inline != nil && q.inline.live < 0 || !c.sameConstraint(p, q)
		}
	}
}

func (c *comparison) sameConstraint(p *tablePair, q *constraintPair) bool {
	opt := ast.Options{Compare: true, Schema: c.schema}
	declared := ast.FormatWith(q.node, opt)
	if q.live.body(p.after) == declared {
		return true
	}
	if q.live.ref.Class == catalog.ForeignKeyClass && q.node.Kind == ast.ForeignKeyClause {
		return c.opts.Whole && c.sameKey(p, p.after.ForeignKeys[q.live.ref.Position], q.node)
	}
	if q.live.ref.Class != catalog.CheckClass || q.node.Kind != ast.CheckClause {
		return false
	}
	return c.sameCheck(p, p.after.Checks[q.live.ref.Position], q.node)
}

// sameCheck reports whether a live CHECK says what is declared: but for what renames have left in it, in a whole comparison by meaning.
func (c *comparison) sameCheck(p *tablePair, live *catalog.Check, node *ast.TableConstraint) bool {
	opt := ast.Options{Compare: true, Schema: c.schema}
	stored := live.Node()
	stored.Name = node.Name
	if ast.FormatWith(c.plain(stored), opt) == ast.FormatWith(c.plain(node), opt) {
		return true
	}
	if !c.opts.Whole || !c.sameMeaning(p, live.X, node.X) {
		return false
	}
	stored.X = node.X
	return ast.FormatWith(stored, opt) == ast.FormatWith(node, opt) // operations and conflict action
}

// emitConstraintRenames emits step d.
func (c *comparison) emitConstraintRenames(p *tablePair) {
	for _, q := range p.constraints {
		if q.oldName == "" || q.isRedefined() {
			continue
		}
		s := c.alter(p, &ast.RenameConstraint{From: ast.Ident(q.oldName), To: q.node.Name})
		s.end(constraintResource(p.name, q.oldName))
		p.orderDrop(q.live, s)
		s.give(constraintResource(p.name, q.node.Name.Text))
		if q.node.Kind == ast.UniqueClause {
			s.end(structureResource(p.name, q.oldName))
			s.give(structureResource(p.name, q.node.Name.Text))
		}
	}
}

// emitConstraintDrops emits step e: redefined ones in declared order, then in catalog order those that are not declared, and
// with them CHECKs of a generated name that would hold a column back.
func (c *comparison) emitConstraintDrops(p *tablePair) {
	for _, q := range p.pairs() {
		if q.isRedefined() && !q.isLost && !q.live.isReleased {
			c.emitDropConstraint(p, q.live)
		}
	}
	lost := make(map[catalog.ConstraintRef]*storedConstraint, len(p.lostConstraints))
	for i := range p.lostConstraints {
		lost[p.lostConstraints[i].ref] = &p.lostConstraints[i]
	}
	for _, k := range storedConstraints(p.after) {
		switch gone := lost[k.ref]; {
		case gone != nil && !gone.isReleased:
			c.emitDropConstraint(p, gone)
		case gone == nil && c.holdsColumnBack(p, &k):
			c.emitDropConstraint(p, &k)
		}
	}
}

// holdsColumnBack reports whether a stored constraint is a CHECK with a generated name that reads a column of its table that goes
// or is rebuilt.
func (c *comparison) holdsColumnBack(p *tablePair, k *storedConstraint) bool {
	return !c.opts.Whole && k.name != "" && catalog.IsHiddenName(k.name) && k.ref.Class == catalog.CheckClass && len(p.endedColumns()) > 0 &&
		c.readsEndedColumn(p, p.live.Checks[k.ref.Position].X)
}

// readsEndedColumn reports whether a CHECK of a live table reads a column of it that DROP COLUMN takes away.
func (c *comparison) readsEndedColumn(p *tablePair, x ast.Expr) bool {
	text := reader{x, c.liveNames.RowHome(p.live, catalog.CheckExpression)}
	return len(c.endedColumnReads(p.live, []reader{text})) > 0
}

func (c *comparison) emitDropConstraint(p *tablePair, k *storedConstraint) {
	s := c.alter(p, &ast.DropConstraint{Name: ast.Ident(k.name)})
	s.end(constraintResource(p.name, k.name))
	s.let(c.constraintReads(p, k)...)
	p.orderDrop(k, s)
	if k.ref.Class == catalog.CheckClass {
		s.let(p.contextLets(p.live.Checks[k.ref.Position].X)...)
	}
	if k.ref.Class == catalog.UniqueClass {
		s.end(structureResource(p.name, k.name))
	}
}

// constraintReads gives what a live constraint holds on to and the plan takes away.
func (c *comparison) constraintReads(p *tablePair, k *storedConstraint) []resource {
	switch i := k.ref.Position; k.ref.Class {
	case catalog.CheckClass:
		return c.rowReads(p.live, catalog.CheckExpression, p.live.Checks[i].X)
	case catalog.ForeignKeyClass:
		return append(columnResources(p.name, k.columns(p.after)), c.parentResources(p, p.live.ForeignKeys[i])...)
	default:
		return columnResources(p.name, k.columns(p.after))
	}
}

// parentResources are the parent of a live foreign key and its columns, as they are called behind the renames.
func (c *comparison) parentResources(p *tablePair, fk *catalog.ForeignKey) []resource {
	columns, name := c.parentColumns(p.live, fk)
	if name == "" {
		return nil
	}
	return append(columns, relationResource(name))
}

// parentColumns are the columns that a live foreign key names, and the parent's name, "" for one in another schema.
func (c *comparison) parentColumns(child *catalog.Table, fk *catalog.ForeignKey) (columns []resource, name string) {
	schema, parent := fk.ParentName(child)
	if schema != c.schema {
		return nil, ""
	}
	name = c.renames.table(schema, parent)
	if gone, ok := c.gone[types.Fold(parent)]; ok {
		name = gone
	}
	return columnResources(name, c.carriedForeignKey(child, fk).ParentColumns), name
}

// foreignKeyReads gives what the foreign keys of a table hold on to that go with one of its columns: those that nothing addresses, or
// that go with a rebuilt column. All others have statements of their own.
func (c *comparison) foreignKeyReads(p *tablePair, column int) []resource {
	var out []resource
	for i, fk := range p.live.ForeignKeys {
		if slices.Contains(fk.Columns, column) && (catalog.IsHiddenName(fk.Name) || p.isLostWithColumn(i)) {
			out = append(out, c.parentResources(p, fk)...)
		}
	}
	return out
}

// isLostWithColumn reports whether a named foreign key goes with a rebuilt column.
func (p *tablePair) isLostWithColumn(position int) bool {
	return slices.ContainsFunc(p.pairs(), func(q *constraintPair) bool {
		return q.isLost && q.live.ref == catalog.ConstraintRef{Class: catalog.ForeignKeyClass, Position: position}
	})
}

// emitConstraintAdds emits step g.
func (c *comparison) emitConstraintAdds(p *tablePair) {
	for _, q := range p.pairs() {
		if (q.live == nil || q.isRedefined()) && !q.comesWithColumn() {
			c.emitAddConstraint(p, q.node)
		}
	}
}

func (c *comparison) emitAddConstraint(p *tablePair, node *ast.TableConstraint) {
	s := c.alter(p, &ast.AddConstraint{Constraint: c.nameHidden(p, node)})
	s.Item = node
	if node.Kind == ast.ForeignKeyClause {
		s.fault = p.fault // what is left of a table's faults when it could be built is about its foreign keys
	}
	c.addConstraintNeeds(s, p, node)
}

// addConstraintNeeds notes what a declared constraint gives and needs, on the statement that brings it.
func (c *comparison) addConstraintNeeds(s *step, p *tablePair, node *ast.TableConstraint) {
	if !node.Name.IsZero() {
		s.give(constraintResource(p.name, node.Name.Text))
	}
	columns := nameTexts(node.Columns)
	s.need(columnResources(p.name, columns)...)
	switch node.Kind {
	case ast.CheckClause:
		s.need(c.rowNeeds(p, catalog.CheckExpression, node.X)...)
		s.wait(c.rowWaits(p, catalog.CheckExpression, node.X)...)
		s.need(p.contextNeeds(node.X)...)
	case ast.UniqueClause:
		s.give(uniqueResource(p.name, columns))
		if !node.Name.IsZero() {
			s.give(structureResource(p.name, node.Name.Text))
		}
	case ast.ForeignKeyClause:
		s.need(c.parentNeeds(node.References)...)
	}
}

// parentNeeds gives what a declared foreign key awaits of its parent: the table, its columns in their declared domain, and the rule
// that makes them unique.
func (c *comparison) parentNeeds(r *ast.References) []resource {
	if !r.Table.Schema.IsZero() && !isNamed(r.Table.Schema, c.schema) {
		return nil
	}
	parent, columns := r.Table.Name.Text, nameTexts(r.Columns)
	if p := c.byName[types.Fold(parent)]; r.Columns == nil && p != nil && p.decl != nil {
		columns = p.decl.ColumnNames(p.decl.KeyColumns())
	}
	out := []resource{relationResource(parent), uniqueResource(parent, columns)}
	for _, name := range columns {
		out = append(out, columnResource(parent, name), domainResource(parent, name))
	}
	return out
}

func nameTexts(names []ast.Name) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n.Text
	}
	return out
}
