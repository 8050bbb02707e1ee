package vtabtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// testRandom runs long random histories: writes with every conflict action, alterations, savepoints, statements, commits,
// rollbacks, reopening.
func testRandom(t *testing.T, h Harness) {
	for seed := range uint64(12) {
		if h.skips(int(seed)) {
			continue
		}
		g := newGen(1000 + seed)
		s := newSession(t, h)
		s.exec(func(x *txn) {
			for _, name := range []string{"t", "u"} {
				table, indexes := g.schema(name)
				x.create(table, indexes...)
			}
		})
		for range 8 {
			x := s.begin()
			for range 30 {
				x.step(g)
			}
			x.check()
			if g.chance(3) {
				x.rollback()
			} else {
				x.commit()
			}
			s.check()
			if g.chance(4) {
				s.reopen()
			}
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

// step does one random thing.
func (x *txn) step(g *gen) {
	name := pick(g, "t", "u")
	switch g.IntN(13) {
	case 0:
		x.alterStatement(g, name)
	case 1:
		x.savepoint()
	case 2:
		if n := len(x.marks); n > 0 {
			x.rollbackTo(g.IntN(n))
		}
	case 3:
		if n := len(x.marks); n > 0 {
			x.release(g.IntN(n))
		}
	case 4:
		x.runStatement(g, name)
	case 5:
		x.truncateStatement(g, name)
	default:
		x.write(g, name)
	}
}

// alterStatement runs an alteration as a statement, which is undone when it fails and in some other cases.
func (x *txn) alterStatement(g *gen, name string) {
	before := x.now[name]
	require.NoError(x.t, x.conn.BeginStatement(background))
	var err error // whether it may fail is the model's to say
	if c := allArms[g.IntN(len(allArms))].of(g, x, name); c != nil {
		err = x.alter(name, c)
	}
	if err == nil && g.chance(3) {
		x.write(g, name)
	}
	if err == nil && !g.chance(4) {
		require.NoError(x.t, x.conn.EndStatement())
		return
	}
	require.NoError(x.t, x.conn.UndoStatement())
	x.now[name] = before
	x.check()
}

// runStatement runs several writes as a statement, which is undone half of the time.
func (x *txn) runStatement(g *gen, name string) {
	before := x.now[name]
	require.NoError(x.t, x.conn.BeginStatement(background))
	for range 1 + g.IntN(6) {
		x.write(g, name)
	}
	if g.chance(2) {
		require.NoError(x.t, x.conn.EndStatement())
		return
	}
	require.NoError(x.t, x.conn.UndoStatement())
	x.now[name] = before
}

// truncateStatement empties a table by a statement, which is undone half of the time. A module that cannot do so, or does not for so few
// rows, leaves all as it was.
func (x *txn) truncateStatement(g *gen, name string) {
	m, ok := x.m.(vtab.Truncator)
	if !ok {
		return
	}
	before := x.now[name]
	require.NoError(x.t, x.conn.BeginStatement(background))
	after, rows, err := m.Truncate(background, x.conn, before.def)
	require.NoError(x.t, err)
	if after != nil {
		require.EqualValues(x.t, len(before.rows), rows)
		x.now[name] = relation{def: after}
	}
	if g.chance(2) {
		x.write(g, name)
	}
	if g.chance(2) {
		require.NoError(x.t, x.conn.EndStatement())
		return
	}
	require.NoError(x.t, x.conn.UndoStatement())
	x.now[name] = before
	x.check()
}

func (x *txn) write(g *gen, name string) {
	rel := x.now[name]
	op := vtab.RowOp{
		Kind:       pick(g, vtab.OpInsert, vtab.OpInsert, vtab.OpInsert, vtab.OpUpdate, vtab.OpDelete),
		OnConflict: pick(g, ast.ConflictDefault, ast.ConflictIgnore, ast.ConflictReplace, ast.ConflictAbort),
	}
	draw := g.row
	if g.chance(2) {
		draw = g.wideRow
	}
	op.New, op.Old = draw(rel.def), draw(rel.def)
	if n := len(rel.rows); n > 0 && !g.chance(10) {
		op.Old = rel.rows[g.IntN(n)]
	}
	if op.Kind == vtab.OpUpdate && g.chance(2) { // change one column only
		c := g.IntN(len(op.New))
		changed := op.Old.Clone()
		changed[c], op.New = op.New[c], changed
	}
	x.do(name, op)
}

// testFaults lets every single storage call of a transaction fail in turn. A failed alteration leaves the table as it was in the
// transaction; a failed transaction leaves the database as it was.
func testFaults(t *testing.T, h Harness) {
	if h.OpenFaulty == nil {
		t.Skip("no storage that fails on demand")
	}
	for _, a := range allArms {
		t.Run(a.name, func(t *testing.T) {
			var faults *Faults
			broken := h
			broken.Open = func(t testing.TB) Module {
				var m Module
				m, faults = h.OpenFaulty(t)
				return m
			}
			s := peopleSession(t, broken, 12)
			for n := 0; ; n++ {
				require.Less(t, n, 5000)
				x := s.begin()
				x.touchPeople()
				faults.Arm(n)
				err := x.faulty(a, uint64(n))
				hit := faults.Hit
				faults.Disarm()
				if err == nil {
					err = x.tryCommit()
					require.NoError(t, err)
					s.check()
					if !hit {
						return
					}
					continue
				}
				require.ErrorIs(t, err, types.IOERR)
				x.check()
				x.rollback()
				s.check()
			}
		})
	}
}

// faulty runs the arm and prepares the commit.
func (x *txn) faulty(a arm, seed uint64) error {
	if c := a.make(newGen(seed), x); c != nil {
		if err := x.alter("people", c); types.CodeOf(err) == types.IOERR {
			return err
		}
	}
	return nil
}
