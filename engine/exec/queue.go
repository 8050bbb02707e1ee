package exec

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// Queue holds the checks of a transaction that wait for its commit (spec 32 §6), and the tables that it wrote to. The zero Queue is
// empty. One goroutine uses it.
type Queue struct {
	entries []queued
	touched []catalog.ID
}

// QueueMark is a point in a Queue.
type QueueMark struct{ entries, touched int }

// queued is a check that waits: of a CHECK with the row's frame when it was written, or of a foreign key with the referring values and
// the key of their row. Its memory is its own.
type queued struct {
	check *checkRecipe
	ref   *refRecipe
	// row is the frame, or the referring values; key is the key of the child's row.
	row, key types.Row
}

// Mark gives the present point, for RollbackTo.
func (q *Queue) Mark() QueueMark { return QueueMark{len(q.entries), len(q.touched)} }

// RollbackTo forgets what came since a mark.
func (q *Queue) RollbackTo(m QueueMark) {
	clear(q.entries[m.entries:])
	q.entries, q.touched = q.entries[:m.entries], q.touched[:m.touched]
}

// Len is the number of checks that wait.
func (q *Queue) Len() int { return len(q.entries) }

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

func (q *Queue) addCheck(c *checkRecipe, frame types.Row) {
	q.entries = append(q.entries, queued{check: c, row: frame.Clone()})
}

func (q *Queue) addReference(r *refRecipe, values, key types.Row) {
	q.entries = append(q.entries, queued{ref: r, row: values.Clone(), key: key.Clone()})
}

// table gives the definition of the table that the check belongs to, as it was when the row was written.
func (e *queued) table() *catalog.Table {
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

func (e *queued) group() group {
	if e.check != nil {
		t := e.table()
		return group{table: t.ID, name: types.Fold(t.CheckName(slices.Index(t.Checks, e.check.check)))}
	}
	return group{table: e.ref.Child.ID, isRef: true, name: types.Fold(e.ref.Key.Name)}
}

// groups gives the entries by table in the order in which tables were first met, then by constraint likewise, then as queued.
func (q *Queue) groups() [][]queued {
	var order []group
	members := map[group][]queued{}
	for _, e := range q.entries {
		g := e.group()
		if members[g] == nil {
			order = append(order, g)
		}
		members[g] = append(members[g], e)
	}
	var tables []catalog.ID
	for _, g := range order {
		if !slices.Contains(tables, g.table) {
			tables = append(tables, g.table)
		}
	}
	var out [][]queued
	for _, t := range tables {
		for _, g := range order {
			if g.table == t {
				out = append(out, members[g])
			}
		}
	}
	return out
}
