package differ

import (
	"maps"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// columnPair is a declared column with the live one that it is.
type columnPair struct {
	def  *ast.ColumnDef
	decl *catalog.Column
	// live is the position of the live column, -1 for a new one. from is that column once the renames of this plan are done, with
	// its old name in oldName if the plan renames it by a statement of its own.
	live    int
	from    *catalog.Column
	oldName string

	retyped, recollated bool
	// undefaulted, defaulted: the live default goes; the declared one comes. isReleased tells that phase 3a has dropped it.
	undefaulted, defaulted, isReleased bool
	renulled                           bool
	// generated: it becomes generated in place, or gets another expression; degenerated: it becomes plain. conflicted: the conflict action of
	// its nullability differs.
	generated, degenerated, conflicted bool
	// rebuilt: the column is dropped and added with another generated expression.
	rebuilt bool
	// restored: the default reads something that goes and comes back, so it is dropped before that and set again behind.
	restored bool
	// last is the latest step that was emitted of those that keep their order.
	last *step
}

// matchColumns pairs the columns of each matched table and collects the renames of the plan.
func (c *comparison) matchColumns() error {
	for _, p := range c.tables {
		if p.isRenamed() {
			c.renames.addTable(c.schema, p.live.Name, p.name)
		}
	}
	for _, p := range c.tables {
		if p.isMatched() && p.live.Maintained == nil {
			if err := c.pairColumns(p); err != nil {
				return err
			}
		}
	}
	if err := c.cascadeRenames(); err != nil {
		return err
	}
	for _, p := range c.tables {
		if p.isMatched() {
			p.after = c.carried(p.live)
			for _, q := range p.columns {
				if q.live >= 0 {
					q.from = p.after.Columns[q.live]
				}
			}
		}
	}
	return nil
}

// pairColumns pairs the columns of one table. Those of a maintained table are met under the names that renames of its sources
// give them, so its sources go before it.
func (c *comparison) pairColumns(p *tablePair) error {
	if !p.comparesShape() {
		return nil
	}
	declared, live := make([]subject, len(p.def.Columns)), make([]subject, len(p.live.Columns))
	for i, col := range p.decl.Columns {
		declared[i] = subject{col.Name, col.Tags}
	}
	for i, col := range p.live.Columns {
		live[i] = subject{c.renames.column(p.live, col.Name), col.Tags}
	}
	m, err := match(c.opts.Policy, "column", c.opts.Whole, declared, live, func(i int, err error) error {
		return p.origin.Fault(p.def.Columns[i], err)
	})
	if err != nil {
		return err
	}
	p.lost = m.left
	c.noteIdle("column", p.name, m, declared, live)
	pairs := make([]columnPair, len(declared))
	p.columns = make([]*columnPair, len(declared))
	for i := range pairs {
		q := &pairs[i]
		p.columns[i] = q
		*q = columnPair{def: p.def.Columns[i], decl: p.decl.Columns[i], live: m.of[i]}
		if q.live >= 0 && !types.EqualFold(live[q.live].name, q.decl.Name) {
			q.oldName = live[q.live].name
			c.renames.addColumn(p.live, p.live.Columns[q.live].Name, q.decl.Name)
		}
	}
	return nil
}

// compareColumns finds what differs in each column of a matched table.
func (c *comparison) compareColumns(p *tablePair) error {
	for _, q := range p.columns {
		if q.live < 0 {
			continue
		}
		if !c.opts.Whole && (q.from.Generated == nil) != (q.decl.Generated == nil) {
			return p.origin.Fault(q.def, generatedChange(p, q))
		}
		c.compareColumn(p, q)
	}
	p.rebuildComparing()
	return nil
}

func generatedChange(p *tablePair, q *columnPair) error {
	from, to := "a plain", "generated"
	if q.from.Generated != nil {
		from, to = "a generated", "plain"
	}
	e := types.Errorf(types.UNSUPPORTED, "column '%s.%s': %s column cannot become %s in place", p.name, q.decl.Name, from, to)
	e.Hint = "add a new column, move the values, drop the old one"
	return e
}

// compareColumn finds what differs in one column (docs/reference/declarative-schema.md).
func (c *comparison) compareColumn(p *tablePair, q *columnPair) {
	if c.opts.Whole {
		c.compareGeneration(p, q)
	} else if q.decl.Generated != nil && !c.sameGenerated(p, q.from, q.decl) {
		q.rebuilt = true
	}
	if q.rebuilt {
		return
	}
	q.retyped = q.def.Type != nil && q.decl.Type != q.from.Type
	q.recollated = c.targetCollation(q) != q.from.Collation
	before := p.live.Columns[q.live].Default
	switch {
	case q.decl.Default != nil:
		// A rename is not undone here: the default is set once more under the new names.
		q.defaulted = !sameExpr(before, q.decl.Default) || !sameExpr(q.from.Default, q.decl.Default)
		if c.opts.Whole && q.defaulted && before != nil {
			q.defaulted = !c.sameMeaning(p, q.from.Default, q.decl.Default) // as the rename leaves it
		}
		q.undefaulted = q.defaulted && before != nil
	case before != nil:
		q.undefaulted = true
	}
	q.renulled = (c.opts.Whole || !catalog.LeavesNullabilityOpen(q.def)) && q.decl.NotNull != q.from.NotNull
}

// unwriteCollations drops COLLATE BINARY from columns that no longer have it written. It says the same as nothing, so that it alone is no
// difference; but beside another written collation it is a conflict, which new rules must not meet.
func (c *comparison) unwriteCollations() {
	if !c.opts.Whole {
		return
	}
	parents := c.newParents()
	for _, p := range c.tables {
		if !p.comparesShape() || !c.changesShape(p) && !parents[types.Fold(p.name)] {
			continue
		}
		for _, q := range p.columns {
			if q.live >= 0 && !q.rebuilt && !q.recollated && isWrittenBinary(q.from) && q.decl.Collation == types.Binary && !isWrittenBinary(q.decl) {
				q.recollated = true
			}
		}
	}
}

// newParents are the tables, folded, that new foreign keys of matched tables refer to.
func (c *comparison) newParents() map[string]bool {
	out := map[string]bool{}
	for _, p := range c.tables {
		if !p.comparesShape() {
			continue
		}
		for _, q := range p.pairs() {
			if q.node.Kind == ast.ForeignKeyClause && q.isNew() {
				out[types.Fold(q.node.References.Table.Name.Text)] = true
			}
		}
	}
	return out
}

// isWrittenBinary reports whether COLLATE BINARY is written, which weighs more in a comparison than nothing.
func isWrittenBinary(col *catalog.Column) bool {
	return col.Collation == types.Binary && col.CollationRank == types.RankDeclared
}

func (c *comparison) sameGenerated(p *tablePair, a, b *catalog.Column) bool {
	return a.Stored == b.Stored && (sameExpr(a.Generated, b.Generated) ||
		ast.HoldsQuery(a.Generated) && sameExpr(c.plain(a.Generated).(ast.Expr), c.plain(b.Generated).(ast.Expr)) ||
		c.opts.Whole && a.Generated != nil && b.Generated != nil && c.sameMeaning(p, a.Generated, b.Generated))
}

// targetCollation gives the collation that the column shall have. Without a type of its own a declaration leaves the live one.
func (c *comparison) targetCollation(q *columnPair) *types.Collation {
	if q.def.Type == nil && q.decl.CollationRank == types.RankDefault {
		return c.env.DefaultCollation(q.from.Type)
	}
	return q.decl.Collation
}

// sameExpr compares two expressions over a row as a comparison of definitions does; nil is no expression.
func sameExpr(a, b ast.Expr) bool {
	if a == nil || b == nil {
		return a == b
	}
	if x, ok := a.(*ast.Literal); ok {
		if y, ok := b.(*ast.Literal); ok && x.Kind == y.Kind && x.Text == y.Text {
			return true
		}
	}
	return catalog.NormalExpr(a) == catalog.NormalExpr(b)
}

// emitColumnRenames emits step a.
func (c *comparison) emitColumnRenames(p *tablePair) {
	for _, q := range p.columns {
		if q.oldName == "" {
			continue
		}
		s := c.alter(p, &ast.RenameColumn{From: ast.Ident(q.oldName), To: q.def.Name})
		s.about(q)
		s.end(columnResource(p.name, q.oldName))
		if q.rebuilt {
			q.chain(s) // the column of that name is the one that is added later
		} else {
			s.give(columnResource(p.name, q.decl.Name))
		}
	}
}

// emitAddedColumns emits step b.
func (c *comparison) emitAddedColumns(p *tablePair) {
	for _, q := range p.columns {
		if q.live < 0 {
			c.emitAddColumn(p, q)
		}
	}
}

func (c *comparison) emitAddColumn(p *tablePair, q *columnPair) {
	s := c.alter(p, &ast.AddColumn{Column: c.explicit(q)})
	s.about(q)
	s.give(columnResource(p.name, q.decl.Name))
	for _, x := range []struct {
		kind catalog.ExpressionKind
		node ast.Expr
	}{{catalog.DefaultExpression, q.decl.Default}, {catalog.GeneratedExpression, q.decl.Generated}} {
		if x.node != nil {
			s.need(c.rowNeeds(p, x.kind, x.node)...)
			s.wait(c.rowWaits(p, x.kind, x.node)...)
			s.need(p.contextNeeds(x.node)...)
		}
	}
	for _, k := range catalog.InlineConstraints(q.def) {
		c.addConstraintNeeds(s, p, k)
	}
	s.need(c.valueNeeds(p, q)...)
}

// valueNeeds gives the columns whose final values a new column is computed from, or tested with. A member of the key that goes is not
// waited for: it may change only when the new column has taken its place.
func (c *comparison) valueNeeds(p *tablePair, q *columnPair) []resource {
	names := map[string]bool{}
	for e := range p.decl.Expressions() {
		if own := p.decl.ColumnIndex(q.decl.Name); e.Column == own || e.Check >= 0 && q.brings(p.decl.Checks[e.Check]) {
			maps.Copy(names, catalog.ColumnNamesIn(e.X))
		}
	}
	for grown := true; grown; { // what a generated column is computed from counts too
		before := len(names)
		for _, g := range p.columns {
			if g != q && g.decl.Generated != nil && names[types.Fold(g.decl.Name)] {
				maps.Copy(names, catalog.ColumnNamesIn(g.decl.Generated))
			}
		}
		grown = len(names) > before
	}
	var out []resource
	for _, x := range p.columns {
		if x != q && x.live >= 0 && names[types.Fold(x.decl.Name)] && !(p.rekeyed && p.after.InKey(x.live)) {
			out = append(out, domainResource(p.name, x.decl.Name), valuesResource(p.name, x.decl.Name))
		}
	}
	return out
}

// brings reports whether a CHECK is written on the column.
func (q *columnPair) brings(k *catalog.Check) bool {
	return slices.ContainsFunc(catalog.InlineConstraints(q.def), func(n *ast.TableConstraint) bool {
		return n.Kind == ast.CheckClause && n.X == k.X
	})
}

// explicit gives the definition of an added column without what makes it the key, which it becomes by a statement of its own, and with
// the collation written out that the session's default makes another one than BINARY. It stands before a default, whose last operand
// it would collate otherwise.
func (c *comparison) explicit(q *columnPair) *ast.ColumnDef {
	isKey := func(k *ast.ColumnConstraint) bool { return k.Kind == ast.PrimaryKeyClause }
	if slices.ContainsFunc(q.def.Constraints, isKey) {
		def := *q.def
		def.Constraints = slices.DeleteFunc(slices.Clone(q.def.Constraints), isKey)
		q = &columnPair{def: &def, decl: q.decl}
	}
	if q.decl.Collation == types.Binary || q.decl.CollationRank != types.RankDefault {
		return q.def
	}
	at := slices.IndexFunc(q.def.Constraints, func(k *ast.ColumnConstraint) bool { return k.Kind == ast.DefaultClause })
	if at < 0 {
		at = len(q.def.Constraints)
	}
	def := *q.def
	def.Constraints = slices.Insert(slices.Clone(q.def.Constraints), at,
		&ast.ColumnConstraint{Kind: ast.CollateClause, Collation: ast.Ident(q.decl.Collation.Name)})
	return &def
}

// emitColumnChanges emits step c of one column: a stale default, the domain, the default, nullability.
func (c *comparison) emitColumnChanges(p *tablePair, q *columnPair) {
	if q.live < 0 || q.rebuilt {
		return
	}
	c.emitGeneration(p, q)
	isUndefaulted := q.isReleased || p.live.Columns[q.live].Default == nil // there is none any more
	if (q.retyped && q.undefaulted || q.restored) && !isUndefaulted {
		c.emitDropDefault(p, q)
		isUndefaulted = true
	}
	c.emitDomain(p, q)
	switch {
	case q.defaulted:
		s := c.emitSetDefault(p, q)
		if !isUndefaulted { // it replaces the live one
			s.let(c.rowReads(p.live, catalog.DefaultExpression, p.live.Columns[q.live].Default)...)
		}
	case q.undefaulted && !isUndefaulted:
		c.emitDropDefault(p, q)
	}
	if q.renulled {
		s := c.alterColumn(p, q, &ast.SetNotNull{Column: q.def.Name, Drop: !q.decl.NotNull})
		s.give(valuesResource(p.name, q.decl.Name))
	}
	c.emitConflict(p, q)
}

// emitDomain emits type and collation: to BINARY the collation first, which every type takes; else the type first, which alone may
// take the collation.
func (c *comparison) emitDomain(p *tablePair, q *columnPair) {
	collation := c.targetCollation(q)
	collate := func() {
		if q.recollated {
			s := c.alterColumn(p, q, &ast.SetCollate{Column: q.def.Name, Collation: ast.Ident(collation.Name)})
			s.give(domainResource(p.name, q.decl.Name))
			s.end(collationResource(p.name, q.decl.Name))
		}
	}
	if collation == types.Binary {
		collate()
	}
	if q.retyped {
		s := c.alterColumn(p, q, &ast.SetDataType{Column: q.def.Name, Type: *q.def.Type})
		s.end(typeResource(p.name, q.decl.Name))
		s.give(domainResource(p.name, q.decl.Name))
	}
	if collation != types.Binary {
		collate()
	}
}

// alterColumn emits an ALTER COLUMN. The changes of one column keep their order.
func (c *comparison) alterColumn(p *tablePair, q *columnPair, a ast.AlterAction) *step {
	s := c.alter(p, a)
	s.about(q)
	s.need(columnResource(p.name, q.decl.Name))
	q.chain(s)
	return s
}

// chain makes a step about the column run behind the one before.
func (q *columnPair) chain(s *step) {
	if q.last != nil {
		link := resource{sequenceOf, q.last.SQL, s.SQL}
		q.last.give(link)
		s.need(link)
	}
	q.last = s
}

func (c *comparison) emitDropDefault(p *tablePair, q *columnPair) {
	s := c.alterColumn(p, q, &ast.SetDefault{Column: q.def.Name})
	s.let(c.rowReads(p.live, catalog.DefaultExpression, p.live.Columns[q.live].Default)...)
	s.let(p.contextLets(p.live.Columns[q.live].Default)...)
}

func (c *comparison) emitSetDefault(p *tablePair, q *columnPair) *step {
	s := c.alterColumn(p, q, &ast.SetDefault{Column: q.def.Name, X: q.decl.Default})
	s.need(c.rowNeeds(p, catalog.DefaultExpression, q.decl.Default)...)
	s.wait(c.rowWaits(p, catalog.DefaultExpression, q.decl.Default)...)
	s.need(p.contextNeeds(q.decl.Default)...)
	return s
}

// emitDroppedColumns emits step h, in live order.
func (c *comparison) emitDroppedColumns(p *tablePair) {
	for _, i := range p.lost {
		c.emitDropColumn(p, i, nil)
	}
}

// emitDropColumn drops a live column; q is set for one that is added again.
func (c *comparison) emitDropColumn(p *tablePair, live int, q *columnPair) {
	col := p.after.Columns[live]
	s := c.alter(p, &ast.DropColumn{Column: ast.Ident(col.Name)})
	if q != nil {
		s.about(q)
		q.chain(s)
	}
	s.end(columnResource(p.name, col.Name))
	before := p.live.Columns[live]
	if before.Default != nil {
		s.let(c.rowReads(p.live, catalog.DefaultExpression, before.Default)...)
	}
	if before.Generated != nil {
		s.let(c.rowReads(p.live, catalog.GeneratedExpression, before.Generated)...)
		s.let(p.collationLets(before.Generated)...)
	}
	s.let(c.foreignKeyReads(p, live)...)
}
