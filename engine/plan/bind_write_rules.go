package plan

import (
	"fmt"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// ruleSet binds the rules of one change, and of all rows that its foreign-key actions lead to.
type ruleSet struct {
	b      *Binder
	target *catalog.Table
	or     ast.ConflictAction
	// context are the values that the statement supplies for the target's variables; nil entries for none. Actions have none.
	context []ContextValue
	all     []*Rules
	// actions are the rules of rows that actions write or remove, each bound once, so that rings of keys end.
	actions map[actionRules]*Rules
	// refs and finds are what foreign keys need on their two sides, bound once for all rules.
	refs  map[*catalog.ForeignKey]*Reference
	finds map[actionFind]*Probe
}

// actionFind identifies the lookup of an action's rows.
type actionFind struct {
	key           *catalog.ForeignKey
	rows, inOrder bool
}

// actionRules identifies the rules of an action's rows: the operation, and under which foreign key its columns are set.
type actionRules struct {
	table *catalog.Table
	op    ast.Operations
	key   *catalog.ForeignKey
}

func (b *Binder) newRuleSet(t *catalog.Table, or ast.ConflictAction, context []ast.Assignment) *ruleSet {
	return &ruleSet{
		b: b, target: t, or: or, context: b.contextValues(t, context), actions: map[actionRules]*Rules{},
		refs: map[*catalog.ForeignKey]*Reference{}, finds: map[actionFind]*Probe{},
	}
}

// finish puts what was bound into the change.
func (rs *ruleSet) finish(w *Write) {
	w.Context, w.All = rs.context, rs.all
}

// contextValues binds WITH CONTEXT (docs/reference/language.md). What the table does not declare is not looked at.
func (b *Binder) contextValues(t *catalog.Table, list []ast.Assignment) []ContextValue {
	values := make([]ContextValue, len(t.Context))
	for i := range values {
		values[i].Variable = &t.Context[i]
	}
	for _, a := range list {
		i := slices.IndexFunc(t.Context, func(v catalog.ContextVar) bool { return types.EqualFold(v.Name, a.Column.Text) })
		switch {
		case i < 0:
		case values[i].X != nil:
			b.fail(a.Column.Pos(), types.ERROR, "mutation context variable '%s' supplied more than once", a.Column.Text)
		default:
			b.unchanging("WITH CONTEXT", func() { values[i].X = b.expr(a.X, nil) })
		}
	}
	return values
}

// rules binds the rules of the target's rows. set are the columns that an UPDATE assigns.
func (rs *ruleSet) rules(t *catalog.Table, op ast.Operations, im *images, set []Computed) *Rules {
	r := &Rules{Table: t, Op: op}
	rs.all = append(rs.all, r)
	or := ast.ConflictDefault
	if op == ast.OnInsert {
		or = rs.or
	}
	rs.fill(r, im, or, set)
	return r
}

// actionRules gives the rules of rows that an action removes, or whose columns of key it sets.
func (rs *ruleSet) actionRules(t *catalog.Table, op ast.Operations, key *catalog.ForeignKey) *Rules {
	id := actionRules{table: t, op: op}
	if op == ast.OnUpdate {
		id.key = key
	}
	if r := rs.actions[id]; r != nil {
		return r
	}
	r := &Rules{Table: t, Op: op}
	rs.all, rs.actions[id] = append(rs.all, r), r
	var set []Computed
	if op == ast.OnUpdate {
		for _, c := range key.Columns {
			set = append(set, Computed{Column: c})
		}
	}
	context := rs.context
	rs.context = make([]ContextValue, len(t.Context))
	rs.fill(r, rs.b.images(t), ast.ConflictDefault, set)
	rs.context = context
	return r
}

func (rs *ruleSet) fill(r *Rules, im *images, or ast.ConflictAction, set []Computed) {
	if r.Op == ast.OnDelete {
		im.new = nullable(im.new)
	}
	r.New, r.Old, r.Context = im.new, im.old, im.context
	if r.Op != ast.OnDelete {
		rs.generated(r, im)
		rs.notNull(r, im, or)
	}
	rs.checks(r, im, or)
	if r.Op != ast.OnDelete {
		rs.references(r, or)
	}
	rs.parentSide(r, or, set)
}

// bind binds a stored expression over the images of a row.
func (rs *ruleSet) bind(t *catalog.Table, x ast.Expr, use Use, im *images) Expr {
	b := rs.b
	if use.Mode != CheckExpr { // evaluated before NULLs are refused
		im = &images{new: nullable(im.new), old: im.old, context: im.context}
	}
	stored, path, ctes, parameterless := b.stored, b.path, b.ctes, b.parameterless
	b.stored, b.path, b.ctes, b.parameterless = true, []string{t.Schema}, nil, use.Mode.what()
	bound := b.expr(x, im.scope(t, use))
	if b.err == nil {
		b.requireDeterminism(bound, use)
	}
	b.stored, b.path, b.ctes, b.parameterless = stored, path, ctes, parameterless
	rs.requireContext(t, ExprColumns(bound), im.context)
	return bound
}

// requireContext refuses to leave out a context variable that must not be NULL and is read.
func (rs *ruleSet) requireContext(t *catalog.Table, read ColSet, vars []Column) {
	for i, c := range vars {
		if read.Has(c.ID) {
			rs.requireVariable(t, i)
		}
	}
}

func (rs *ruleSet) requireVariable(t *catalog.Table, i int) {
	if v := &t.Context[i]; v.NotNull && rs.context[i].X == nil {
		rs.b.fail(ast.NoPos, types.ERROR, "table '%s.%s' requires mutation context variable '%s'", t.Schema, t.Name, v.Name)
	}
}

// generated binds the generated columns and orders them by what they read.
func (rs *ruleSet) generated(r *Rules, im *images) {
	bound := make(map[int]Expr)
	for i, c := range r.Table.Columns {
		if c.Generated != nil {
			bound[i] = rs.bind(r.Table, c.Generated, Use{Mode: GeneratedExpr, Column: c.Name}, im)
		}
	}
	order, err := r.Table.GeneratedOrder(func(column int) []int {
		var reads []int
		for id := range ExprColumns(bound[column]) {
			if i := findColumn(im.new, id); i >= 0 {
				reads = append(reads, i)
			}
		}
		slices.Sort(reads)
		return reads
	})
	if err != nil {
		rs.b.failWith(ast.NoPos, err)
	}
	for _, i := range order {
		r.Generated = append(r.Generated, Computed{Column: i, X: bound[i]})
	}
}

// effective gives what a violation does: what the statement says, else the rule, else ABORT.
func effective(statement, declared ast.ConflictAction) ast.ConflictAction {
	switch {
	case statement != ast.ConflictDefault:
		return statement
	case declared != ast.ConflictDefault:
		return declared
	}
	return ast.ConflictAbort
}

func (rs *ruleSet) notNull(r *Rules, im *images, or ast.ConflictAction) {
	for i, c := range r.Table.Columns {
		if !c.NotNull {
			continue
		}
		n := NotNull{Column: i, Action: effective(or, c.NotNullConflict)}
		if n.Action == ast.ConflictReplace && c.Generated == nil {
			n.Substitute = rs.defaultOf(r.Table, i, im, nil)
		}
		r.NotNull = append(r.NotNull, n)
	}
}

// checks binds the CHECKs that apply. One with a subquery waits for commit unless a conflict action needs to know at once.
func (rs *ruleSet) checks(r *Rules, im *images, or ast.ConflictAction) {
	for i, c := range r.Table.Checks {
		if c.Ops&r.Op == 0 {
			if r.Op == ast.OnInsert && c.Ops&ast.OnUpdate != 0 && len(r.Table.Context) > 0 {
				rs.bind(r.Table, c.X, Use{Mode: CheckExpr}, im) // its context is required too: an INSERT may come to update a row
			}
			continue
		}
		k := &Check{Position: i, Message: checkMessage(r.Table, i), Action: effective(or, c.OnConflict)}
		use := Use{Mode: CheckExpr, BareOld: r.Op == ast.OnDelete}
		if k.Action == ast.ConflictAbort && ast.HoldsQuery(c.X) {
			k.Deferred = rs.deferred(r.Table, c.X, use)
		} else {
			k.X = rs.bind(r.Table, c.X, use, im)
		}
		r.Checks = append(r.Checks, k)
	}
}

// deferred binds a CHECK that is evaluated by itself, at commit.
func (rs *ruleSet) deferred(t *catalog.Table, x ast.Expr, use Use) *TableExpr {
	te, err := BindTableExpr(t, x, use, rs.b.env)
	if err != nil {
		rs.b.failWith(ast.NoPos, err)
		return nil
	}
	for _, i := range te.Context {
		rs.requireVariable(t, i)
	}
	return te
}

// checkMessage words the violation of a CHECK; a short expression is shown.
func checkMessage(t *catalog.Table, i int) string {
	const most = 60
	message := "CHECK constraint failed: " + t.CheckName(i)
	if text := ast.Format(t.Checks[i].X); len(text) <= most {
		message += fmt.Sprintf(" (%s)", text)
	}
	return message
}

// replaces reports whether the operation may evict rows: REPLACE is the statement's action, or a uniqueness rule's own.
func replaces(t *catalog.Table, op ast.Operations, or ast.ConflictAction) bool {
	if op == ast.OnDelete || or != ast.ConflictDefault && or != ast.ConflictReplace {
		return false
	}
	if or == ast.ConflictReplace || t.Key.OnConflict == ast.ConflictReplace {
		return true
	}
	return slices.ContainsFunc(t.Uniques, func(u *catalog.Unique) bool { return u.OnConflict == ast.ConflictReplace })
}

// BindDeferredCheck binds a CHECK that waits for commit as the present definition of its table has it, which a statement since may have
// changed: it is found by its name, or unnamed by its place among the unnamed ones. nil when it is gone.
func BindDeferredCheck(before *catalog.Table, c *catalog.Check, now *catalog.Table, op ast.Operations, env *Env) (*Check, error) {
	place := 0
	for _, other := range before.Checks {
		if other == c {
			break
		}
		if types.EqualFold(other.Name, c.Name) {
			place++
		}
	}
	for i, k := range now.Checks {
		if !types.EqualFold(k.Name, c.Name) {
			continue
		}
		if place--; place >= 0 {
			continue
		}
		te, err := BindTableExpr(now, k.X, Use{Mode: CheckExpr, BareOld: op == ast.OnDelete}, env)
		return &Check{Position: i, Message: checkMessage(now, i), Action: ast.ConflictAbort, Deferred: te}, err
	}
	return nil, nil
}
