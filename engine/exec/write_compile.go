package exec

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// writeRecipe is what a program's data changes are compiled to; what a run keeps for each entry stands at its position.
type writeRecipe struct {
	reads   []tableRead
	rules   []*rulesRecipe
	actions []*actionRecipe
	refs    []*refRecipe
	probes  []*probeRecipe
	// inserted and updated are the tables that the program's own changes name. settleEach tells that what a row of an INSERT leads to
	// may be rows of these very tables, which must not wait for the rows that come after it; reachesUpdated tells it of UPDATE.
	inserted, updated          []*catalog.Table
	settleEach, reachesUpdated bool
	// compiled, looked and referred find what is reached again.
	compiled map[*plan.Rules]*rulesRecipe
	looked   map[*plan.Probe]*probeRecipe
	referred map[*plan.Reference]*refRecipe
}

// rulesRecipe is a compiled plan.Rules.
type rulesRecipe struct {
	slot      int
	table     *catalog.Table
	op        ast.Operations
	key       []int // the key's columns
	width     int   // of the table
	frame     int   // of the row that expressions read: both images and the context
	generated []cell
	notNull   []notNullRecipe
	// substitutes tells that some of notNull have one.
	substitutes bool
	checks      []*checkRecipe
	refs        []*refRecipe
	changed     []*actionRecipe
	gone        []*actionRecipe
}

// cell computes one column of a row: to a constant, or by an expression and the conversion to the column's type.
type cell struct {
	column  int
	x       Expr // nil for a constant
	value   types.Value
	convert func(types.Value) (types.Value, error)
	// param is the position of the parameter that x is, from 1; 0 for any other expression. Batches of rows are made of them.
	param int
}

type notNullRecipe struct {
	column     int
	action     ast.ConflictAction
	substitute *cell // nil for none
}

// checkRecipe is a compiled CHECK: x when it is evaluated at once, else program.
type checkRecipe struct {
	rules   *rulesRecipe
	check   *catalog.Check
	action  ast.ConflictAction
	message string
	x       Expr
	program *RowProgram
	catalog *catalog.Snapshot
}

// eval gives the cell's value for a row.
func (c *cell) eval(ec *Context, row types.Row) (types.Value, error) {
	if c.x == nil {
		return c.value, nil
	}
	if c.param > 0 && ec.param[c.param-1].bound {
		return c.convert(ec.param[c.param-1].value)
	}
	v, err := c.x(ec, row)
	if err != nil {
		return types.Null, err
	}
	return c.convert(v)
}

// evalCells computes cells of a row and puts each into its column of dst, where later ones see it if row and dst share memory.
func evalCells(ec *Context, cells []cell, row, dst types.Row) error {
	for i := range cells {
		v, err := cells[i].eval(ec, row)
		if err != nil {
			return err
		}
		dst[cells[i].column] = v
	}
	return nil
}

// writes gives the recipe of the program's changes.
func (b *builder) writes() *writeRecipe {
	if b.write == nil {
		b.write = &writeRecipe{
			compiled: map[*plan.Rules]*rulesRecipe{}, looked: map[*plan.Probe]*probeRecipe{}, referred: map[*plan.Reference]*refRecipe{},
		}
	}
	return b.write
}

// converter gives the conversion of values of a static type that are written to a column: exactly once, and none where the value
// has the column's type already.
func converter(c *catalog.Column, static *types.Type) func(types.Value) (types.Value, error) {
	if static == c.Type {
		return types.WriteGuard(c.Type, c.Name)
	}
	return types.WriteConverter(c.Type, c.Name)
}

// cell compiles a computed column. A constant is converted now, unless that fails: the row that it is for may never come.
func (c *compiler) cell(t *catalog.Table, p plan.Computed) cell {
	out := cell{column: p.Column}
	if p.X == nil {
		return out
	}
	out.convert = converter(t.Columns[p.Column], p.X.Static().Type)
	if k, ok := p.X.(*plan.Const); ok {
		if v, err := out.convert(k.Value); err == nil {
			out.value = v
			return out
		}
	}
	out.x = c.expr(p.X)
	if k, ok := p.X.(*plan.Param); ok {
		out.param = k.Index + 1
	}
	return out
}

func (c *compiler) cells(t *catalog.Table, list []plan.Computed) []cell {
	out := make([]cell, len(list))
	for i, p := range list {
		out[i] = c.cell(t, p)
	}
	return out
}

// frameOf gives a compiler over the frame of rules.
func (b *builder) frameOf(r *plan.Rules) *compiler {
	cols := make([]plan.Column, 0, len(r.New)+len(r.Old)+len(r.Context))
	cols = append(append(append(cols, r.New...), r.Old...), r.Context...)
	return b.over(cols)
}

// rules compiles rules, once each: rings of foreign keys lead back to them.
func (b *builder) rules(p *plan.Rules) *rulesRecipe {
	w := b.writes()
	if r := w.compiled[p]; r != nil {
		return r
	}
	width := len(p.Table.Columns)
	r := &rulesRecipe{
		slot: len(w.rules), table: p.Table, op: p.Op, key: p.Table.KeyColumns(), width: width, frame: 2*width + len(p.Context),
	}
	w.rules, w.compiled[p] = append(w.rules, r), r
	c := b.frameOf(p)
	r.generated = c.cells(p.Table, p.Generated)
	for _, n := range p.NotNull {
		k := notNullRecipe{column: n.Column, action: n.Action}
		if n.Substitute != nil {
			s := c.cell(p.Table, plan.Computed{Column: n.Column, X: n.Substitute})
			k.substitute, r.substitutes = &s, true
		}
		r.notNull = append(r.notNull, k)
	}
	for _, k := range p.Checks {
		r.checks = append(r.checks, b.check(c, r, k))
	}
	for _, ref := range p.References {
		r.refs = append(r.refs, b.reference(ref))
	}
	r.changed, r.gone = b.actions(p.Changed), b.actions(p.Gone)
	return r
}

func (b *builder) check(c *compiler, r *rulesRecipe, k *plan.Check) *checkRecipe {
	out := &checkRecipe{
		rules: r, check: r.table.Checks[k.Position], action: k.Action, message: k.Message, catalog: b.plan.Catalog,
	}
	if k.Deferred == nil {
		out.x = c.expr(k.X)
		return out
	}
	p, err := CompileRow(k.Deferred)
	if err != nil {
		b.fail(err)
	}
	out.program = p
	return out
}

// reference compiles the child's side of a foreign key.
func (b *builder) reference(p *plan.Reference) *refRecipe {
	w := b.writes()
	if r := w.referred[p]; r != nil {
		return r
	}
	r := &refRecipe{Reference: p, slot: len(w.refs), key: p.Child.KeyColumns()}
	w.refs, w.referred[p] = append(w.refs, r), r
	if p.Find != nil {
		r.probe = b.probe(p.Find)
		r.keys = r.probe.keys
	} else {
		r.keys = binaryKeys(len(p.Key.Columns))
	}
	return r
}

func (b *builder) actions(list []*plan.Action) []*actionRecipe {
	out := make([]*actionRecipe, len(list))
	for i, a := range list {
		out[i] = b.action(a)
	}
	return out
}

// action compiles the parent's side of a foreign key.
func (b *builder) action(p *plan.Action) *actionRecipe {
	w := b.writes()
	a := &actionRecipe{Action: p, slot: len(w.actions), probe: b.probe(p.Find)}
	w.actions = append(w.actions, a)
	if p.Rules == nil {
		return a
	}
	a.rules = b.rules(p.Rules)
	a.set = b.frameOf(p.Rules).cells(p.Child, p.Set)
	if p.Do == ast.FKCascade {
		for i := range a.set {
			static := p.Parent.Columns[p.ParentColumns[i]].Type
			a.set[i].convert = converter(p.Child.Columns[a.set[i].column], static)
		}
	}
	return a
}

// probe compiles a lookup as a program of its own, which runs on the work in progress.
func (b *builder) probe(p *plan.Probe) *probeRecipe {
	w := b.writes()
	if r := w.looked[p]; r != nil {
		return r
	}
	r, err := buildProbe(p)
	if err != nil {
		b.fail(err)
		return &probeRecipe{}
	}
	r.slot = len(w.probes)
	w.probes, w.looked[p] = append(w.probes, r), r
	return r
}

// settleWrites notes what depends on all changes of the program.
func (b *builder) settleWrites() {
	w := b.write
	if w == nil {
		return
	}
	w.reads = scansOf(b.plan.Root)
	written := func(t *catalog.Table) bool {
		for _, r := range w.rules {
			if r.table == t {
				return true
			}
		}
		return false
	}
	for _, a := range w.actions {
		a.childWritten = written(a.Child)
		if a.rules != nil {
			w.settleEach = w.settleEach || slices.Contains(w.inserted, a.Child)
			w.reachesUpdated = w.reachesUpdated || slices.Contains(w.updated, a.Child)
		}
	}
	for _, r := range w.refs {
		r.parentWritten = r.Parent != nil && written(r.Parent)
	}
}
