package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble/crashtest"
)

// crashStates are the definition and the rows before and after a transaction, as a record in the store tells them apart.
type crashStates map[string]struct {
	def  *catalog.Table
	rows int
}

// verify opens what a crash left. It must be one of the states, with nothing else in the store.
func (s crashStates) verify(t *testing.T, fs vfs.FS) (state string) {
	m := openModule(t, openPebble(t, fs), bulkOptions)
	pin, err := m.Pin(background)
	require.NoError(t, err)
	require.NoError(t, m.ReadRecords(background, pin, vtab.MetaRecords, func(_, value []byte) error {
		state = string(value)
		return nil
	}))
	now, known := s[state]
	require.True(t, known, "state %q", state)
	for _, ref := range refsOf(now.def) {
		n := countRows(t, m, now.def, pin, &vtab.Filter{Access: &vtab.AccessPlan{Index: ref}, Columns: vtab.AllColumns(len(now.def.Columns))})
		require.Equal(t, now.rows, n)
	}
	require.NoError(t, pin.Close())
	requireOnly(t, m.store, now.def)
	require.NoError(t, m.Close())
	return state
}

func refsOf(t *catalog.Table) []*vtab.IndexRef {
	out := []*vtab.IndexRef{nil}
	for i := range t.Indexes {
		out = append(out, &vtab.IndexRef{Unique: -1, Index: i})
	}
	return out
}

func scanAll(t *catalog.Table) *vtab.Filter {
	return &vtab.Filter{Columns: vtab.AllColumns(len(t.Columns))}
}

// rekeying changes the key of the big table.
func rekeying(t testing.TB, before *catalog.Table, i int) *vtab.Alteration {
	after, err := before.WithKey([]catalog.KeyColumn{{Column: []int{7, 0}[i%2], Desc: true}})
	require.NoError(t, err)
	return &vtab.Alteration{Before: before, After: after, AfterSpec: &vtab.TableSpec{}}
}

// retyping converts a column of the big table.
func retyping(before *catalog.Table) *vtab.Alteration {
	return &vtab.Alteration{
		Before: before, AfterSpec: &vtab.TableSpec{}, Changed: []int{2},
		After: before.WithColumn(2, func(c *catalog.Column) { c.Type = types.TypeText }),
		Convert: func(dst, src types.Row) error {
			copy(dst, src)
			dst[2] = types.Text(types.ToText(src[2]))
			return nil
		},
	}
}

func commitState(t testing.TB, c *Conn, state string, before, after *catalog.Table) {
	require.NoError(t, c.Prepare(background, &vtab.Commit{
		Tables:  []vtab.TableChange{{Before: before, After: after}},
		Records: []vtab.Record{{Space: vtab.MetaRecords, Key: []byte("state"), Value: []byte(state)}},
	}))
	require.NoError(t, c.Commit(background))
}

// TestCrash cuts a transaction of rewrites at every sync: the database is then wholly before it or wholly after, and the next
// open leaves no range that nothing names.
func TestCrash(t *testing.T) {
	for _, end := range []string{"commit", "rollback"} {
		t.Run(end, func(t *testing.T) {
			fs := crashtest.New(1)
			m := openModule(t, openPebble(t, fs), bulkOptions)
			c := begin(t, m, 1<<20)
			before, err := m.Create(background, c, withIndex(t, buildTable(t, bigTable), `create index by_n on big (n)`))
			require.NoError(t, err)
			insertBig(t, m, c, before, 0, 150)
			commitState(t, c, "before", nil, before)

			fs.Record(1)
			c = begin(t, m, 1<<20)
			insertBig(t, m, c, before, 1000, 50)
			after, err := m.Alter(background, c, rekeying(t, before, 0))
			require.NoError(t, err)
			after, err = m.Alter(background, c, retyping(after))
			require.NoError(t, err)
			insertBig(t, m, c, after, 2000, 50)
			want := map[string]bool{"before": true}
			if end == "commit" {
				commitState(t, c, "after", before, after)
				fs.Step() // is durable by now
				want["after"] = true
			} else {
				require.NoError(t, c.Rollback())
			}
			cuts, _ := fs.Stop()
			require.NoError(t, m.Close())

			states := crashStates{"before": {before, 150}, "after": {after, 250}}
			seen := map[string]bool{}
			for _, cut := range cuts {
				seen[states.verify(t, cut.FS)] = true
			}
			require.Equal(t, want, seen)
			require.Greater(t, len(cuts), 10)
		})
	}
}
