package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// proof shows, at the end of a plan, that what its steps do not test themselves holds on the rows as they will be: the
// rules that stay while values, comparisons or keys change below them, and new CHECKs and assertions. Each table is read once for
// all its CHECKs.
type proof struct {
	tx *tx
	// touched are the touches of each step that was carried out, added the CHECKs and assertions that one has brought.
	touched []touches
	added   map[addedRule]int
	// testsAdded tells that CHECKs and assertions which are added are judged too: APPLY SCHEMA leaves them to the next write
	// (docs/reference/declarative-schema.md).
	testsAdded bool
	// hasData tells that a statement of the plan has changed rows: new tables may have some.
	hasData bool
	// failed are the columns, folded, that steps are about which were not carried out: what reads them is not judged.
	failed map[relationName]map[string]bool

	rules   []*provenRule
	changed touches              // of all steps
	steps   map[catalog.ID][]int // that touch a table
	names   *catalog.Names
}

// addedRule is a CHECK of a table, or an assertion of a schema.
type addedRule struct {
	of   relationName
	name string // folded
}

// provenRule is a rule that has to be judged, with what comes of it.
type provenRule struct {
	// step is the one that is to blame when the rule is broken.
	step  int
	table *catalog.Table
	// check is the position of a CHECK, -1 for another rule; one of the others is set then.
	check      int
	foreignKey *catalog.ForeignKey
	assertion  *catalog.Assertion
	isNew      bool

	err  error
	rows *Offending
}

func newProof(t *tx, steps int, testsAdded bool) *proof {
	return &proof{tx: t, testsAdded: testsAdded, touched: make([]touches, steps), added: map[addedRule]int{}, failed: map[relationName]map[string]bool{}, changed: touches{}, steps: map[catalog.ID][]int{}}
}

// done notes a step that was carried out.
func (p *proof) done(step int, s ast.Stmt, touched touches) {
	p.touched[step] = touched
	if create, ok := s.(*ast.CreateTableStmt); ok {
		n := nameOf(create.Name)
		if t := p.tx.cat.Table(n.schema, n.name); t != nil {
			touched.of(t).created = true
		}
	}
	for id, x := range touched {
		p.steps[id] = append(p.steps[id], step)
		if p.changed[id] == nil {
			p.changed[id] = newTouch()
		}
		p.changed[id].join(x)
	}
	if !p.testsAdded {
		return
	}
	switch s := s.(type) {
	case *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt:
		p.hasData = true
	case *ast.CreateAssertionStmt:
		p.added[addedRule{of: relationName{schema: nameOf(s.Name).schema}, name: types.Fold(s.Name.Name.Text)}] = step
	case *ast.AlterStmt:
		if a, ok := s.Action.(*ast.AddConstraint); ok && a.Constraint.Kind == ast.CheckClause {
			n := nameOf(s.Name)
			t := p.tx.cat.Table(n.schema, n.name)
			p.added[addedRule{n, types.Fold(t.Checks[len(t.Checks)-1].Name)}] = step
		}
	}
}

// fail notes a step that was not carried out.
func (p *proof) fail(s ast.Stmt) {
	alter, ok := s.(*ast.AlterStmt)
	if !ok {
		return
	}
	n := nameOf(alter.Name)
	if p.failed[n] == nil {
		p.failed[n] = map[string]bool{}
	}
	for _, column := range alteredColumns(alter.Action) {
		p.failed[n][types.Fold(column.Text)] = true
	}
}

// alteredColumns lists the columns whose values, comparison or existence an ALTER changes.
func alteredColumns(a ast.AlterAction) []ast.Name {
	switch a := a.(type) {
	case *ast.AddColumn:
		return []ast.Name{a.Column.Name}
	case *ast.DropColumn:
		return []ast.Name{a.Column}
	case *ast.RenameColumn:
		return []ast.Name{a.From, a.To}
	case *ast.SetDataType:
		return []ast.Name{a.Column}
	case *ast.SetCollate:
		return []ast.Name{a.Column}
	case *ast.SetNotNull:
		return []ast.Name{a.Column}
	case *ast.SetGenerated:
		return []ast.Name{a.Column}
	}
	return nil
}

func (p *proof) failedOf(t *catalog.Table) map[string]bool {
	return p.failed[relationName{t.Schema, types.Fold(t.Name)}]
}

// judgeTables judges CHECKs, foreign keys, and whether what is stored can still be planned.
func (p *proof) judgeTables(ctx context.Context) error {
	if len(p.changed) == 0 && len(p.added) == 0 {
		return nil
	}
	p.names = p.tx.conn.names(p.tx.cat)
	for _, o := range p.reached() {
		switch o := o.(type) {
		case *catalog.Table:
			if err := p.judgeTable(ctx, o); err != nil {
				return err
			}
		case *catalog.View:
			p.judgeView(o)
		}
	}
	return nil
}

// reached lists the objects whose rules, defaults or bodies can be concerned: what has changed, the children of that, what reads it through
// any chain of views, and what has got a rule.
func (p *proof) reached() []catalog.Object {
	cat := p.tx.cat
	var out []catalog.Object
	var names []string
	for id := range p.changed {
		t := cat.TableByID(id)
		if t == nil {
			continue // it has gone since
		}
		out, names = append(out, t), append(names, t.Name)
		for _, child := range cat.Children(t.Schema, t.Name) {
			out = append(out, child)
		}
	}
	for rule := range p.added {
		if t := cat.Table(rule.of.schema, rule.of.name); t != nil {
			out = append(out, t)
		}
		if a := cat.Assertion(rule.of.schema, rule.name); a != nil {
			out = append(out, a)
		}
	}
	return cat.InOrder(append(out, cat.Reaching(names...)...))
}

func (p *proof) judgeTable(ctx context.Context, t *catalog.Table) error {
	if x := p.changed[t.ID]; x != nil && x.created && !p.hasData {
		return nil // it has no rows yet
	}
	checks := p.reachedChecks(t)
	if err := p.judgeChecks(ctx, t, checks); err != nil {
		return err
	}
	keys := p.reachedKeys(t)
	for _, r := range keys {
		if err := p.judgeKey(ctx, r); err != nil {
			return err
		}
	}
	p.rules = append(append(p.rules, checks...), keys...)
	p.judgeDefaults(t)
	return nil
}

// lastTouch gives the last step that touches one of the tables and of which test is true, -1 for none.
func (p *proof) lastTouch(test func(touches) bool, tables ...*catalog.Table) int {
	last := -1
	for _, t := range tables {
		if t == nil {
			continue
		}
		for _, step := range slices.Backward(p.steps[t.ID]) {
			if step > last && test(p.touched[step]) {
				last = step
				break
			}
		}
	}
	return last
}

// stepBehind gives the last step that changes something which a text reads; -1 when none does, or when one that should have failed.
func (p *proof) stepBehind(n ast.Node, path []string, own *catalog.Table) int {
	hasQuery := holdsQuery(n)
	if own != nil && p.changed[own.ID] == nil && !hasQuery {
		return -1
	}
	reads := p.names.ReadsOf(n, path, own)
	if !p.changed.reach(reads, hasQuery) || p.readsFailed(reads) {
		return -1
	}
	return p.lastTouch(func(ts touches) bool { return ts.reach(reads, hasQuery) }, reads.Tables...)
}

func holdsQuery(n ast.Node) bool {
	x, isExpr := n.(ast.Expr)
	return !isExpr || ast.HoldsQuery(x)
}

func (p *proof) readsFailed(r *catalog.Reads) bool {
	return len(p.failed) > 0 && slices.ContainsFunc(r.Tables, func(t *catalog.Table) bool {
		for column := range p.failedOf(t) {
			if r.Column(t, column) {
				return true
			}
		}
		return false
	})
}

// fails reports whether a text reads what was not brought about.
func (p *proof) fails(n ast.Node, path []string, own *catalog.Table) bool {
	return len(p.failed) > 0 && p.readsFailed(p.names.ReadsOf(n, path, own))
}

// reachedChecks lists the CHECKs of a table that rows as they are must satisfy and that have to be judged. Those that see more than
// the row as it is (the image before, the context of a write) speak of writes alone.
func (p *proof) reachedChecks(t *catalog.Table) []*provenRule {
	var out []*provenRule
	for i, k := range t.Checks {
		if k.Ops&(ast.OnInsert|ast.OnUpdate) == 0 || t.SeesWrite(k.X) {
			continue
		}
		step, isNew := p.added[addedRule{relationName{t.Schema, types.Fold(t.Name)}, types.Fold(k.Name)}]
		if !isNew {
			step = p.stepBehind(k.X, []string{t.Schema}, t)
		} else if p.fails(k.X, []string{t.Schema}, t) {
			continue
		}
		if isNew || step >= 0 {
			out = append(out, &provenRule{step: step, table: t, check: i, isNew: isNew})
		}
	}
	return out
}

// judgeChecks judges CHECKs of one table in one pass over its rows.
func (p *proof) judgeChecks(ctx context.Context, t *catalog.Table, rules []*provenRule) (err error) {
	env := &alterEnv{tx: p.tx}
	defer func() {
		if e := env.close(); err == nil {
			err = e
		}
	}()
	var tests []func(types.Row) error
	for _, r := range rules {
		test, err := p.checkTest(ctx, env, r)
		switch {
		case errors.Is(err, types.NOTFOUND), errors.Is(err, plan.ErrNondeterministic): // a table that the rule reads may come later
		case err != nil:
			r.err = err
		default:
			tests = append(tests, test)
		}
	}
	if tests == nil {
		return nil
	}
	return env.EachRow(ctx, t, func(row types.Row) error {
		for _, test := range tests {
			if err := test(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkTest makes what tests a row. The error of a row that cannot be judged is that of the rule.
func (p *proof) checkTest(ctx context.Context, env *alterEnv, r *provenRule) (func(types.Row) error, error) {
	t, k := r.table, r.table.Checks[r.check]
	x := catalog.Expression{Kind: catalog.CheckExpression, Column: -1, Check: r.check, Index: -1, Member: -1, X: k.X}
	rule, err := env.CompileExpression(ctx, p.tx.cat, t, x)
	if err != nil {
		return nil, err
	}
	key := t.KeyColumns()
	return func(row types.Row) error {
		v, err := rule.Eval(row)
		switch {
		case ctx.Err() != nil:
			return err
		case err == nil && !catalog.CheckFails(v):
			return nil
		case r.err == nil && err != nil:
			r.err = types.Wrapf(types.CONSTRAINT, err, "CHECK constraint %s cannot be judged", t.CheckName(r.check))
		case r.err == nil:
			r.err = p.checkBroken(r)
		}
		if r.rows == nil {
			r.rows = &Offending{}
		}
		r.rows.add(pick(row, key))
		return nil
	}, nil
}

func (p *proof) checkBroken(r *provenRule) error {
	t, k := r.table, r.table.Checks[r.check]
	what := "would break it"
	if r.isNew {
		what = "that are there break it"
	}
	return types.Errorf(types.CONSTRAINT, "CHECK constraint failed: %s (%s): rows of %s %s", t.CheckName(r.check), ast.Format(k.X), t.Name, what)
}

// reachedKeys lists the foreign keys of a table that have to be judged.
func (p *proof) reachedKeys(t *catalog.Table) []*provenRule {
	if len(p.changed) == 0 || !p.tx.conn.session.settings.boolean("foreign_keys") {
		return nil
	}
	var out []*provenRule
	for _, fk := range t.ForeignKeys {
		schema, name := fk.ParentName(t)
		parent := p.tx.cat.Table(schema, name)
		if !p.changed.reachKey(t, fk, parent) || p.keyFails(t, fk, parent) {
			continue
		}
		step := p.lastTouch(func(ts touches) bool { return ts.reachKey(t, fk, parent) }, t, parent)
		out = append(out, &provenRule{step: step, table: t, check: -1, foreignKey: fk})
	}
	return out
}

// keyFails reports whether a column at either end was not brought about.
func (p *proof) keyFails(t *catalog.Table, fk *catalog.ForeignKey, parent *catalog.Table) bool {
	up := fk.ParentColumns
	if parent != nil && up == nil {
		up = parent.ColumnNames(parent.KeyColumns())
	}
	isFailed := func(of map[string]bool) func(string) bool {
		return func(name string) bool { return of[types.Fold(name)] }
	}
	return slices.ContainsFunc(t.ColumnNames(fk.Columns), isFailed(p.failedOf(t))) ||
		parent != nil && slices.ContainsFunc(up, isFailed(p.failedOf(parent)))
}

// judgeKey judges a foreign key: whether writes can still be judged by it, and whether each row has its parent.
func (p *proof) judgeKey(ctx context.Context, r *provenRule) error {
	t, fk := r.table, r.foreignKey
	if r.err = catalog.CheckForeignKeyCollation(t, fk, p.tx.cat); r.err != nil {
		return nil
	}
	if _, r.err = plan.BindReference(t, fk, p.tx.conn.planEnv(ctx, p.tx.cat)); r.err != nil {
		return nil
	}
	found := &Offending{}
	if err := p.tx.orphans(ctx, t, fk, found); err != nil {
		return err
	}
	if found.Count > 0 {
		r.rows = found
		r.err = types.Errorf(types.CONSTRAINT, "FOREIGN KEY constraint failed: %s: rows of %s would have no parent in %s", fk.Name, t.Name, fk.ParentTable)
	}
	return nil
}

// judgeDefaults judges whether defaults that read a changed column can still be planned.
func (p *proof) judgeDefaults(t *catalog.Table) {
	for x := range t.Expressions() {
		if x.Kind != catalog.DefaultExpression || x.IsLiteralDefault() {
			continue
		}
		step := p.stepBehind(x.X, []string{t.Schema}, t)
		if step < 0 {
			continue
		}
		if err := p.tx.conn.checkExpression(p.tx.cat, t, x); err != nil {
			p.rules = append(p.rules, &provenRule{step: step, table: t, check: -1, err: err})
		}
	}
}

// judgeView judges whether a view that reads a changed column can still be planned, if it could before.
func (p *proof) judgeView(v *catalog.View) {
	step := p.stepBehind(v.Body, p.names.HomeOf(v.Schema).Path, nil)
	if step < 0 {
		return
	}
	_, err := plan.PrepareView(v, p.tx.conn.freshEnv(p.tx.cat))
	if err == nil {
		return
	}
	if before := p.tx.base.cat.View(v.Schema, v.Name); before != nil {
		if _, broken := plan.PrepareView(before, p.tx.conn.freshEnv(p.tx.base.cat)); broken != nil {
			return
		}
	}
	p.rules = append(p.rules, &provenRule{step: step, check: -1, err: types.Wrapf(types.CodeOf(err), err, "view %s would fail", v.Name)})
}

// judgeAssertions judges the assertions that are new or read what has changed.
func (p *proof) judgeAssertions(ctx context.Context) error {
	if len(p.changed) == 0 && len(p.added) == 0 {
		return nil
	}
	p.names = p.tx.conn.names(p.tx.cat)
	for _, o := range p.reached() {
		a, ok := o.(*catalog.Assertion)
		if !ok {
			continue
		}
		path := p.names.HomeOf(a.Schema).Path
		step, isNew := p.added[addedRule{relationName{schema: a.Schema}, types.Fold(a.Name)}]
		if !isNew {
			step = p.stepBehind(a.X, path, nil)
		}
		if !isNew && step < 0 || isNew && p.fails(a.X, path, nil) {
			continue
		}
		r := &provenRule{step: step, check: -1, assertion: a, isNew: isNew}
		r.err = p.judgeAssertion(ctx, a)
		if ctx.Err() != nil {
			return r.err
		}
		p.rules = append(p.rules, r)
	}
	return nil
}

func (p *proof) judgeAssertion(ctx context.Context, a *catalog.Assertion) (err error) {
	read := p.tx.reading()
	defer func() {
		if e := read.close(nil); err == nil {
			err = e
		}
	}()
	env := p.tx.conn.planEnv(ctx, p.tx.cat)
	env.Committed = p.tx.base.cat
	return exec.CheckAssertion(ctx, a, env, p.tx.runtime(read, Params{}))
}

// broken gives the rules that are, in order of the steps.
func (p *proof) broken() []*provenRule {
	out := slices.DeleteFunc(p.rules, func(r *provenRule) bool { return r.err == nil })
	slices.SortStableFunc(out, func(a, b *provenRule) int { return cmp.Compare(a.step, b.step) })
	return out
}
