package differ

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// What a step changes in a column, its values or how they compare, reaches rules that stay as they are, and generated columns. Whether
// rows break such a rule only the run can tell: it judges them before it commits.

// stayingRule is a rule of the target that the plan does not bring.
type stayingRule struct {
	name  string
	reads *catalog.Reads
	// key and child are set for a foreign key, of which reads is nil; parent is nil when it is not of this schema.
	key           *catalog.ForeignKey
	child, parent *catalog.Table
}

// reachedRules warns of the rules that a step reaches.
func reachedRules(c *comparison, s *step) []Hazard {
	alter, ok := s.Stmt.(*ast.AlterStmt)
	if !ok || !c.hasRows(s) || s.pair == nil {
		return nil
	}
	var reached func(r *stayingRule) bool
	switch a := alter.Action.(type) {
	case *ast.AlterPrimaryKey:
		reached = func(r *stayingRule) bool {
			return r.key != nil && r.key.ParentColumns == nil && r.parent == s.pair.decl
		}
	case *ast.SetDataType, *ast.SetCollate:
		reached = s.reaches
	case *ast.SetGenerated:
		if a.X != nil {
			reached = s.reaches
		}
	case *ast.SetNotNull:
		if v, isLiteral := literalDefault(s.column); !a.Drop && isLiteral && !v.IsNull() {
			reached = s.reaches
		}
	}
	if reached == nil {
		return nil
	}
	out := c.recomputed(s)
	var names []string
	for _, r := range c.stayingRules()[s.pair.decl] {
		if reached(r) {
			names = append(names, r.name)
		}
	}
	if names != nil {
		out = append(out, one(RulesReached, Warning,
			fmt.Sprintf("rows that then break %s refuse the migration", strings.Join(names, ", ")), "look for them first")...)
	}
	return out
}

// reaches reports whether a rule reads the column that the step changes.
func (s *step) reaches(r *stayingRule) bool {
	t, column := s.pair.decl, s.column.decl.Name
	if r.key == nil {
		return r.reads.Column(t, column)
	}
	i := t.ColumnIndex(column)
	if r.child == t && slices.Contains(r.key.Columns, i) {
		return true
	}
	if r.parent != t {
		return false
	}
	up, ok := r.key.ParentPositions(t)
	return ok && slices.Contains(up, i)
}

// stayingRules gives the rules that stay, of tables that have rows, by the declared tables that they read.
func (c *comparison) stayingRules() map[*catalog.Table][]*stayingRule {
	if c.staying != nil {
		return c.staying
	}
	c.staying = map[*catalog.Table][]*stayingRule{}
	for _, p := range c.tables {
		if p.comparesShape() && c.opts.Stats.rows(p.live) != 0 {
			c.stayingRulesOf(p)
		}
	}
	for _, p := range c.assertions {
		if p.live != nil && !p.redefined {
			reads := c.targetNames.ReadsOf(p.stmt.X, c.targetNames.HomeOf(c.schema).Path, nil)
			c.stays(&stayingRule{name: "assertion " + p.stmt.Name.Name.Text, reads: reads}, reads.Tables...)
		}
	}
	return c.staying
}

func (c *comparison) stays(r *stayingRule, tables ...*catalog.Table) {
	for _, t := range tables {
		c.staying[t] = append(c.staying[t], r)
	}
}

func (c *comparison) stayingRulesOf(p *tablePair) {
	comes := map[string]bool{}
	for _, q := range p.constraints {
		if q.isNew() {
			comes[types.Fold(q.node.Name.Text)] = true
		}
	}
	bodies := c.newBodies(p)
	for i, k := range p.decl.Checks {
		if !comes[types.Fold(k.Name)] && !bodies[catalog.NormalCheck(k)] && k.Ops&(ast.OnInsert|ast.OnUpdate) != 0 && !p.decl.SeesWrite(k.X) {
			reads := c.targetNames.ReadsOf(k.X, []string{c.schema}, p.decl)
			c.stays(&stayingRule{name: fmt.Sprintf("CHECK %s of %s", p.decl.CheckName(i), p.name), reads: reads}, reads.Tables...)
		}
	}
	for _, fk := range p.decl.ForeignKeys {
		if comes[types.Fold(fk.Name)] || bodies[catalog.NormalForeignKey(p.decl, fk)] {
			continue
		}
		parent := c.target.Table(fk.ParentName(p.decl))
		tables := []*catalog.Table{p.decl}
		if parent != nil && parent != p.decl {
			tables = append(tables, parent)
		}
		c.stays(&stayingRule{name: fmt.Sprintf("foreign key %s of %s", fk.Name, p.name), key: fk, child: p.decl, parent: parent}, tables...)
	}
}

// recomputed tells of the generated columns that are computed anew with a column.
func (c *comparison) recomputed(s *step) []Hazard {
	if s.column == nil {
		return nil
	}
	severity, names := Info, []string(nil)
	for _, q := range c.generatedFrom(s.pair, s.column.decl.Name) {
		names = append(names, q.decl.Name)
		if q.decl.NotNull || len(c.uniqueRulesOver(s.pair, q.live)) > 0 {
			severity = Warning
		}
	}
	if names == nil {
		return nil
	}
	message := fmt.Sprintf("generated columns that read it are computed anew: %s", strings.Join(names, ", "))
	if severity == Warning {
		message += "; NULLs or duplicates among them refuse the change"
	}
	return one(Recomputes, severity, message, "")
}

// generatedFrom lists the generated columns of a table, there all along, that read a column, directly or through each other.
func (c *comparison) generatedFrom(p *tablePair, column string) []*columnPair {
	stale := map[string]bool{types.Fold(column): true}
	var out []*columnPair
	for again := true; again; {
		again = false
		for _, q := range p.columns {
			if q.live < 0 || q.rebuilt || q.decl.Generated == nil || stale[types.Fold(q.decl.Name)] {
				continue
			}
			for name := range catalog.ColumnNamesIn(q.decl.Generated) {
				if stale[name] {
					stale[types.Fold(q.decl.Name)], again = true, true
					out = append(out, q)
					break
				}
			}
		}
	}
	return out
}
