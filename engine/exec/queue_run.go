package exec

import (
	"context"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Whole judges a rule of a table over all of its rows: a CHECK by its position, or a foreign key where key is not nil.
type Whole func(t *catalog.Table, check int, key *catalog.ForeignKey) (broken bool, err error)

// Run judges the checks that wait, against the final state of the transaction, which rt.Source shows and env.Catalog describes. The
// first violation is the answer; the queue stays as it is. What waits knows its row by the key; where that has become another since,
// whole judges the rule.
func (q *Queue) Run(ctx context.Context, env *plan.Env, rt *Runtime, whole Whole) error {
	if q.Len() == 0 {
		return nil
	}
	j := &judge{ctx: ctx, env: env, rt: rt, whole: whole, fetches: map[fetchOf]*probeRun{}}
	return q.batches(func(entries []queued) error {
		if err := kv.Interrupted(ctx); err != nil {
			return err
		}
		now := env.Catalog.TableByID(entries[0].table().ID)
		switch {
		case now == nil: // dropped, with its rows
			return nil
		case entries[0].check != nil:
			return j.checks(now, entries)
		default:
			return j.references(now, entries)
		}
	})
}

// judge evaluates checks at commit.
type judge struct {
	ctx context.Context
	env *plan.Env
	rt  *Runtime
	// whole judges a rule over all rows.
	whole Whole
	// fetches look rows up by key.
	fetches map[fetchOf]*probeRun
}

// fetchOf is a table whose rows are looked up, by keys with or without NULL.
type fetchOf struct {
	table catalog.ID
	nulls bool
}

// isRekeyed reports whether the key of a table knows rows in another way than it did: by other columns, types or comparisons.
func isRekeyed(before, now *catalog.Table) bool {
	return !slices.EqualFunc(before.KeyColumns(), now.KeyColumns(), func(b, n int) bool {
		old, present := before.Columns[b], now.Columns[n]
		return old.ID == present.ID && old.Type == present.Type && old.Collation == present.Collation
	})
}

// isRetyped reports whether some of a table's columns have become of another type, so that what was written is no longer what is there.
func isRetyped(before *catalog.Table, columns []*catalog.Column) bool {
	return slices.ContainsFunc(columns, func(c *catalog.Column) bool {
		at := slices.IndexFunc(before.Columns, func(b *catalog.Column) bool { return b.ID == c.ID })
		return at >= 0 && before.Columns[at].Type != c.Type
	})
}

// checks evaluates one CHECK for all rows that wait.
func (j *judge) checks(now *catalog.Table, entries []queued) (err error) {
	var present *presentCheck
	var run *RowRun
	defer func() {
		if run != nil {
			err = firstError(err, run.Close())
		}
	}()
	for i, e := range entries {
		if i%64 == 0 {
			if err := kv.Interrupted(j.ctx); err != nil {
				return err
			}
		}
		if present == nil || present.of != e.check {
			if present, err = j.presentCheck(now, e.check); err != nil || present == nil {
				return err
			}
			if run != nil {
				if err := run.Close(); err != nil {
					return err
				}
			}
			if run, err = present.program.Begin(j.ctx, j.rt); err != nil {
				return err
			}
		}
		if err := j.check(present, run, e); err != nil {
			return err
		}
	}
	return nil
}

// presentCheck is a CHECK as the final catalog has it.
type presentCheck struct {
	of      *checkRecipe
	table   *catalog.Table
	program *RowProgram
	message string
	// position is the CHECK's in its table, of one that was bound anew.
	position int
	// rekeyed and retyped tell what has become of the table since: rows are known by another key, and hold other values.
	rekeyed, retyped bool
	// holds tells that the CHECK was found to hold for all rows.
	holds bool
	// columns says where each column of the table stood when the row was written, -1 for one added since; nil when nothing moved.
	columns []int
}

// presentCheck finds what has become of a CHECK; nil when it is gone. Unless the catalog has changed it is as it was compiled.
func (j *judge) presentCheck(now *catalog.Table, c *checkRecipe) (*presentCheck, error) {
	p := &presentCheck{of: c, table: now, program: c.program, message: c.message}
	if now == c.rules.table && j.env.Catalog == c.catalog {
		return p, nil
	}
	k, err := plan.BindDeferredCheck(c.rules.table, c.check, now, c.rules.op, j.env)
	if err != nil || k == nil {
		return nil, err
	}
	p.message, p.position = k.Message, k.Position
	p.rekeyed, p.retyped = isRekeyed(c.rules.table, now), isRetyped(c.rules.table, now.Columns)
	if p.program, err = CompileRow(k.Deferred); err != nil {
		return nil, err
	}
	p.columns = movedColumns(c.rules.table, now)
	return p, nil
}

// movedColumns gives the positions that columns of a table had in an older definition of it, -1 for new ones.
func movedColumns(before, now *catalog.Table) []int {
	out := make([]int, len(now.Columns))
	for i, c := range now.Columns {
		out[i] = slices.IndexFunc(before.Columns, func(b *catalog.Column) bool { return b.ID == c.ID })
	}
	return out
}

// frame gives the row that the check is evaluated over: images as the table is now, with values added since filled in and others
// converted to the types that their columns have by now.
func (p *presentCheck) frame(row types.Row) (types.Row, error) {
	if p.columns == nil {
		return row, nil
	}
	before := p.of.rules.table.Columns
	var out types.Row
	for image := range 2 {
		for i, from := range p.columns {
			c := p.table.Columns[i]
			if from < 0 {
				out = append(out, c.Fill)
				continue
			}
			v := row[image*len(before)+from]
			if before[from].Type != c.Type {
				var err error
				if v, err = types.WriteConverter(c.Type, c.Name)(v); err != nil {
					return nil, err
				}
			}
			out = append(out, v)
		}
	}
	return append(out, row[2*len(before):]...), nil
}

// judgedWhole reports whether all rows of the table must satisfy the CHECK as they are, so that it can be judged without knowing which were
// written: it applies to INSERT and UPDATE and sees nothing of a write.
func (p *presentCheck) judgedWhole() bool {
	const both = ast.OnInsert | ast.OnUpdate
	c := p.table.Checks[p.position]
	return p.of.rules.op != ast.OnDelete && c.Ops&both == both && !p.table.SeesWrite(c.X)
}

// wholeCheck judges a CHECK over all rows of its table, once.
func (j *judge) wholeCheck(p *presentCheck) error {
	if p.holds {
		return nil
	}
	broken, err := j.whole(p.table, p.position, nil)
	if err == nil && broken {
		err = p.violation()
	}
	p.holds = err == nil
	return err
}

func (p *presentCheck) violation() error {
	return &types.Error{Code: types.CONSTRAINT, Message: p.message}
}

// check evaluates a CHECK for a row that was written. What is false of a row that is gone does not count; where rows cannot be found again
// the CHECK is judged over all rows, and one that cannot be judged so counts.
func (j *judge) check(p *presentCheck, run *RowRun, e queued) error {
	if p.retyped && p.judgedWhole() {
		return j.wholeCheck(p)
	}
	frame, err := p.frame(e.row)
	if err == nil {
		err = p.test(run, frame)
	}
	switch {
	case err == nil:
		return nil
	case p.of.rules.op == ast.OnDelete || frame == nil:
		return err
	case !p.rekeyed:
		rows, e2 := j.fetch(p.table, []types.Row{keyOf(p.table, frame)})
		if e2 != nil {
			return e2
		}
		if rows[0] == nil {
			return nil
		}
	case p.judgedWhole():
		return j.wholeCheck(p)
	}
	return err
}

// test evaluates the CHECK over a frame.
func (p *presentCheck) test(run *RowRun, frame types.Row) error {
	v, err := run.Eval(frame)
	if err == nil && catalog.CheckFails(v) {
		err = p.violation()
	}
	return err
}

// keyOf gives the key of a row.
func keyOf(t *catalog.Table, row types.Row) types.Row {
	var key types.Row
	for _, c := range t.KeyColumns() {
		key = append(key, row[c])
	}
	return key
}

// fetch finds rows of a table by their keys; nil for those that there are not.
func (j *judge) fetch(t *catalog.Table, keys []types.Row) ([]types.Row, error) {
	out := make([]types.Row, len(keys))
	for _, nulls := range []bool{false, true} {
		var some []types.Row
		var places []int
		for i, key := range keys {
			if hasNull(key) == nulls {
				some, places = append(some, key), append(places, i)
			}
		}
		if len(some) == 0 {
			continue
		}
		rows, err := j.fetchAlike(fetchOf{t.ID, nulls}, t, some)
		if err != nil {
			return nil, err
		}
		for i, place := range places {
			out[place] = rows[i]
		}
	}
	return out, nil
}

// lookup gives the lookup of rows by keys of one kind.
func (j *judge) lookup(of fetchOf, t *catalog.Table) (*probeRun, error) {
	if f := j.fetches[of]; f != nil {
		return f, nil
	}
	p, err := plan.BindFetch(t, of.nulls, j.env)
	if err != nil {
		return nil, err
	}
	r, err := buildProbe(p)
	if err != nil {
		return nil, err
	}
	j.fetches[of] = &probeRun{probeRecipe: r}
	return j.fetches[of], nil
}

// fetchAlike finds rows by keys of which all or none have a NULL.
func (j *judge) fetchAlike(of fetchOf, t *catalog.Table, keys []types.Row) ([]types.Row, error) {
	f, err := j.lookup(of, t)
	if err != nil {
		return nil, err
	}
	list, numbers, err := listKeys(f.keys, keys)
	if err != nil {
		return nil, err
	}
	found := make([]types.Row, list.len())
	err = f.find(j.ctx, j.rt, list, func(n int, row types.Row) (bool, error) {
		found[n] = row.Clone()
		return true, nil
	})
	out := make([]types.Row, len(keys))
	for i, n := range numbers {
		out[i] = found[n]
	}
	return out, err
}

// listKeys makes a list of keys and gives the number of each.
func listKeys(enc *types.KeyEncoder, keys []types.Row) (l *keyList, numbers []int, err error) {
	l = &keyList{}
	if len(keys) > 0 {
		l.start(enc, len(keys[0]))
	}
	for _, key := range keys {
		copy(l.row, key)
		n, _, err := l.put()
		if err != nil {
			return nil, nil, err
		}
		numbers = append(numbers, n)
	}
	return l, numbers, nil
}

// references judges the rows that wait for a parent. A value that has one by now is done with. Of rows with other values the present
// image counts: gone ones and those that refer to nothing are dropped.
func (j *judge) references(now *catalog.Table, entries []queued) error {
	ref, err := j.presentReference(now, entries[0].ref)
	if err != nil || ref == nil {
		return err
	}
	var referring []*catalog.Column
	for _, c := range ref.Key.Columns {
		referring = append(referring, now.Columns[c])
	}
	moved := func(e queued) bool {
		return e.ref.Child != now && (isRekeyed(e.ref.Child, now) || isRetyped(e.ref.Child, referring))
	}
	if slices.ContainsFunc(entries, moved) {
		broken, err := j.whole(now, -1, ref.Key)
		if err == nil && broken {
			err = ref.violation()
		}
		return err
	}
	values := make([]types.Row, len(entries))
	for i, e := range entries {
		values[i] = e.row
	}
	orphans, err := j.orphans(ref, values)
	if err != nil || len(orphans) == 0 {
		return err
	}
	keys := make([]types.Row, len(orphans))
	for i, o := range orphans {
		keys[i] = entries[o].key
	}
	rows, err := j.fetch(now, keys)
	if err != nil {
		return err
	}
	values = values[:0]
	for _, row := range rows {
		if row != nil && !ref.exempt(row) {
			values = append(values, ref.referring(row))
		}
	}
	orphans, err = j.orphans(ref, values)
	if err == nil && len(orphans) > 0 {
		err = ref.violation()
	}
	return err
}

// referring gives the values by which a row of the child refers to its parent.
func (r *refRecipe) referring(row types.Row) types.Row {
	out := make(types.Row, len(r.Key.Columns))
	for i, c := range r.Key.Columns {
		out[i] = row[c]
	}
	return out
}

// presentReference finds what has become of a foreign key; nil when it is gone.
func (j *judge) presentReference(now *catalog.Table, r *refRecipe) (*refRecipe, error) {
	if now == r.Child && j.env.Catalog == r.Catalog {
		return r, nil
	}
	at := slices.IndexFunc(now.ForeignKeys, func(k *catalog.ForeignKey) bool { return types.EqualFold(k.Name, r.Key.Name) })
	if at < 0 {
		return nil, nil
	}
	bound, err := plan.BindReference(now, now.ForeignKeys[at], j.env)
	if err != nil {
		return nil, err
	}
	out := &refRecipe{Reference: bound, key: now.KeyColumns(), keys: binaryKeys(len(bound.Key.Columns))}
	if bound.Find != nil {
		if out.probe, err = buildProbe(bound.Find); err != nil {
			return nil, err
		}
		out.keys = out.probe.keys
	}
	return out, nil
}

// orphans gives the positions of the values that have no parent.
func (j *judge) orphans(ref *refRecipe, values []types.Row) ([]int, error) {
	if len(values) == 0 {
		return nil, nil
	}
	list, numbers, err := listKeys(ref.keys, values)
	if err != nil {
		return nil, err
	}
	found := make([]bool, list.len())
	if ref.probe != nil {
		p := &probeRun{probeRecipe: ref.probe}
		err = p.find(j.ctx, j.rt, list, func(n int, _ types.Row) (bool, error) {
			found[n] = true
			return true, nil
		})
	}
	var out []int
	for i, n := range numbers {
		if !found[n] {
			out = append(out, i)
		}
	}
	return out, err
}
