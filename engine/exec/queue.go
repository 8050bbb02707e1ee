package exec

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Queue holds the checks of a transaction that wait for its commit (docs/reference/language.md), and the tables that it wrote to. Beyond
// the memory budget of a statement checks wait in temporary files, which Close removes. The zero Queue is empty. One goroutine uses it.
type Queue struct {
	files   []*queueFile // of the oldest checks, in their order
	filed   int          // checks in files
	entries []queued     // the newest checks
	bytes   int64        // what entries weigh
	rules   []rule       // of the checks in files
	numbers map[rule]int // by rule
	known   map[ruleOf]rule
	touched []catalog.ID
}

// QueueMark is a point in a Queue.
type QueueMark struct{ entries, touched int }

// rule is what a check judges: a CHECK or a foreign key, as the program that wrote the row knows it.
type rule struct {
	check *checkRecipe
	ref   *refRecipe
}

// ruleOf tells rules apart whatever program knows them: the CHECK or foreign key, the catalog that it was compiled for, the operation.
type ruleOf struct {
	catalog *catalog.Snapshot
	of      any
	op      ast.Operations
}

func (r rule) identity() ruleOf {
	if r.check != nil {
		return ruleOf{r.check.catalog, r.check.check, r.check.rules.op}
	}
	return ruleOf{r.ref.Catalog, r.ref.Key, 0}
}

// shared gives the first of equal rules, so that a transaction holds one and not that of each of its statements.
func (q *Queue) shared(r rule) rule {
	of := r.identity()
	if first, ok := q.known[of]; ok {
		return first
	}
	if q.known == nil {
		q.known = map[ruleOf]rule{}
	}
	q.known[of] = r
	return r
}

// queued is a check that waits: of a CHECK with the row's frame when it was written, or of a foreign key with the referring values and
// the key of their row. Its memory is its own.
type queued struct {
	rule
	// row is the frame, or the referring values; key is the key of the child's row.
	row, key types.Row
}

// weight is the memory of a check, about.
func (e *queued) weight() int64 {
	n := int64(unsafe.Sizeof(*e))
	for _, row := range []types.Row{e.row, e.key} {
		for _, v := range row {
			n += valueBytes
			switch v.Kind() {
			case types.KindText:
				n += int64(len(v.Str()))
			case types.KindBlob:
				n += int64(len(v.Bytes()))
			case types.KindJSON:
				n += heapBytes
			}
		}
	}
	return n
}

// Mark gives the present point, for RollbackTo.
func (q *Queue) Mark() QueueMark { return QueueMark{q.Len(), len(q.touched)} }

// RollbackTo forgets what came since a mark.
func (q *Queue) RollbackTo(m QueueMark) error {
	keep := max(m.entries-q.filed, 0)
	for i := range q.entries[keep:] {
		q.bytes -= q.entries[keep+i].weight()
	}
	clear(q.entries[keep:])
	q.entries, q.touched = q.entries[:keep], q.touched[:m.touched]
	return q.cutFiles(m.entries)
}

// Len is the number of checks that wait.
func (q *Queue) Len() int { return q.filed + len(q.entries) }

// Close forgets everything and removes the files.
func (q *Queue) Close() error {
	err := q.cutFiles(0)
	*q = Queue{}
	return err
}

// Touch notes that the transaction changes the table's rows.
func (q *Queue) Touch(t *catalog.Table) {
	if !slices.Contains(q.touched, t.ID) {
		q.touched = append(q.touched, t.ID)
	}
}

// Touched reports whether the transaction has changed rows of any table, or of one of the given ones if there are some.
func (q *Queue) Touched(tables ...catalog.ID) bool {
	if len(tables) == 0 {
		return len(q.touched) > 0
	}
	return slices.ContainsFunc(tables, func(id catalog.ID) bool { return slices.Contains(q.touched, id) })
}

func (q *Queue) addCheck(ec *Context, c *checkRecipe, frame types.Row) error {
	return q.add(ec, queued{rule: rule{check: c}, row: frame.Clone()})
}

func (q *Queue) addReference(ec *Context, r *refRecipe, values, key types.Row) error {
	return q.add(ec, queued{rule: rule{ref: r}, row: values.Clone(), key: key.Clone()})
}

func (q *Queue) add(ec *Context, e queued) error {
	e.rule = q.shared(e.rule)
	q.entries = append(q.entries, e)
	if q.bytes += e.weight(); q.bytes < ec.budget() {
		return nil
	}
	return q.file(ec.spillDir())
}

// table gives the definition of the table that the check belongs to, as it was when the row was written.
func (e *rule) table() *catalog.Table {
	if e.check != nil {
		return e.check.rules.table
	}
	return e.ref.Child
}

// group identifies the entries that are judged together.
type group struct {
	table catalog.ID
	isRef bool
	// name is the constraint's, which renames of the table and its columns leave alone; unnamed CHECKs are told apart by what they
	// are called in messages.
	name string
}

func (e *rule) group() group {
	if e.check != nil {
		t := e.table()
		return group{table: t.ID, name: types.Fold(t.CheckName(slices.Index(t.Checks, e.check.check)))}
	}
	return group{table: e.ref.Child.ID, isRef: true, name: types.Fold(e.ref.Key.Name)}
}

// groups lists the groups of the checks by table in the order in which tables were first met, then by constraint likewise.
func (q *Queue) groups() ([]group, error) {
	var order []group
	met := map[group]bool{}
	err := q.each(nil, func(e queued) error {
		if g := e.group(); !met[g] {
			met[g] = true
			order = append(order, g)
		}
		return nil
	})
	var tables []catalog.ID
	for _, g := range order {
		if !slices.Contains(tables, g.table) {
			tables = append(tables, g.table)
		}
	}
	slices.SortStableFunc(order, func(a, b group) int {
		return cmp.Compare(slices.Index(tables, a.table), slices.Index(tables, b.table))
	})
	return order, err
}

// batches calls f with the checks of each group in turn, some at a time, as they were queued.
func (q *Queue) batches(f func(entries []queued) error) error {
	if len(q.files) > 0 {
		return q.filedBatches(f)
	}
	order, err := q.groups()
	if err != nil {
		return err
	}
	members := map[group][]queued{}
	for _, e := range q.entries {
		g := e.group()
		members[g] = append(members[g], e)
	}
	for _, g := range order {
		if err := f(members[g]); err != nil {
			return err
		}
	}
	return nil
}

// filedBatches reads the files once for each group.
func (q *Queue) filedBatches(f func(entries []queued) error) error {
	order, err := q.groups()
	if err != nil {
		return err
	}
	var batch []queued
	flush := func() error {
		defer func() { batch = batch[:0] }()
		if len(batch) == 0 {
			return nil
		}
		return f(batch)
	}
	for _, g := range order {
		err := q.each(func(r rule) bool { return r.group() == g }, func(e queued) error {
			if batch = append(batch, e); len(batch) < queueBatch {
				return nil
			}
			return flush()
		})
		if err == nil {
			err = flush()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
