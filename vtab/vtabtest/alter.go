package vtabtest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// fillPeople inserts n people from number from on, without two that any rule forbids.
func (x *txn) fillPeople(from, n int) {
	x.t.Helper()
	for i := from; i < from+n; i++ {
		r := row(i, fmt.Sprintf("Name %d", i%3), 1890+i, fmt.Sprintf("c%d", i))
		if i%5 == 0 {
			r[1] = types.Null
		}
		if i%7 == 0 {
			r[3] = types.Null
		}
		x.insertPerson(r)
	}
}

// insertPerson inserts a row that was made for the columns people began with into those it has now.
func (x *txn) insertPerson(r types.Row) {
	x.t.Helper()
	def := x.now["people"].def
	full := make(types.Row, len(def.Columns))
	for i, c := range def.Columns {
		switch {
		case int(c.ID) <= len(r):
			full[i] = r[c.ID-1]
		case !c.Fill.IsNull():
			full[i] = c.Fill
		case c.NotNull:
			full[i] = types.Text("Fill")
		}
		if c.Type == types.TypeText && !full[i].IsNull() {
			full[i] = types.Text(types.ToText(full[i]))
		}
	}
	x.do("people", vtab.RowOp{Kind: vtab.OpInsert, New: full, OnConflict: ast.ConflictIgnore})
}

// touchPeople changes some rows: an update in place, a moved key, a delete.
func (x *txn) touchPeople() {
	rows := x.now["people"].rows
	if len(rows) < 3 {
		return
	}
	def := x.now["people"].def
	x.do("people", vtab.RowOp{Kind: vtab.OpDelete, Old: rows[0]})
	changed := x.now["people"].rows[1].Clone()
	for i, c := range def.Columns {
		if c.Type == types.TypeInteger && !changed[i].IsNull() {
			n, _ := changed[i].Int64()
			changed[i] = types.Int(n + 5000)
		}
	}
	x.do("people", vtab.RowOp{Kind: vtab.OpUpdate, Old: x.now["people"].rows[1], New: changed, OnConflict: ast.ConflictIgnore})
}

func peopleSession(t testing.TB, h Harness, rows int) *session {
	s := newSession(t, h)
	s.exec(func(x *txn) {
		x.create(people, peopleIndexes...)
		x.fillPeople(0, rows)
	})
	return s
}

// testAlter runs every arm over committed and staged rows, and undoes it in every way.
func testAlter(t *testing.T, h Harness) {
	for i, a := range allArms {
		for j, staged := range []bool{false, true} {
			if h.skips(2*i + j) {
				continue
			}
			t.Run(fmt.Sprintf("%s, staged %v", a.name, staged), func(t *testing.T) {
				s := peopleSession(t, h, 30)
				change := func(x *txn) {
					if staged {
						x.touchPeople()
						x.fillPeople(100, 10)
					}
					if c := a.make(newGen(7), x); c != nil {
						_ = x.alter("people", c) // whether it may fail is the model's to say
					}
					x.check()
					x.fillPeople(200, 10)
					x.touchPeople()
					x.check()
				}
				x := s.begin()
				change(x)
				x.rollback()
				s.check()
				x = s.begin()
				depth := x.savepoint()
				change(x)
				x.rollbackTo(depth)
				x.check()
				change(x)
				x.commit()
				s.check()
				s.reopen()
				s.exec(func(x *txn) { x.fillPeople(300, 5); x.touchPeople() })
				s.check()
			})
		}
	}
}

// reopen closes and opens the module if it can.
func (s *session) reopen() {
	if s.h.Reopen != nil {
		s.m = s.h.Reopen(s.t, s.m)
		s.check()
	}
}

// testAlterFailures has alterations fail: they name the rule, change nothing, and leave the transaction usable.
func testAlterFailures(t *testing.T, h Harness) {
	s := peopleSession(t, h, 30)
	x := s.begin()
	x.touchPeople()
	def := x.now["people"].def

	convert := &vtab.Alteration{Before: def, After: def.Clone(), Changed: []int{2}, Convert: func(dst, src types.Row) error {
		copy(dst, src)
		if n, _ := src[0].Int64(); n > 20 {
			return types.Errorf(types.MISMATCH, "Cannot convert value in row %d", n)
		}
		return nil
	}}
	require.ErrorIs(t, x.alter("people", convert), types.MISMATCH)
	x.check()

	rule := def.Clone()
	rule.Indexes = append(rule.Indexes, x.index(rule, `create unique index one_name on people (name, born % 2)`))
	err := x.alter("people", &vtab.Alteration{Before: def, After: rule})
	require.ErrorIs(t, err, types.CONSTRAINT)
	require.ErrorContains(t, err, "UNIQUE constraint failed: people (name, born % 2)")
	var dup *vtab.DuplicateKeys
	require.ErrorAs(t, err, &dup)
	require.NotEmpty(t, dup.Keys)
	x.check()

	narrow := must[*vtab.Alteration](t)(func() (*vtab.Alteration, error) {
		n, err := def.WithKey(nil)
		return &vtab.Alteration{Before: def, After: n}, err
	}())
	require.ErrorContains(t, x.alter("people", narrow), "UNIQUE constraint failed: people PK.")
	x.check()

	unkeyable := def.WithColumn(3, func(c *catalog.Column) { c.Collation = &types.Collation{Name: "ODD", Compare: types.Binary.Compare} })
	unkeyable.Indexes = append(unkeyable.Indexes, x.index(unkeyable, `create index odd on people (city)`))
	_, err = s.m.Alter(background, x.conn, &vtab.Alteration{Before: def, After: unkeyable, AfterSpec: specOf(unkeyable)})
	require.Error(t, err)
	x.check()
	x.fillPeople(400, 5)
	x.commit()
	s.check()
}

// testPairs runs every pair of rewriting arms with pending rows before and between, and ROLLBACK TO between.
func testPairs(t *testing.T, h Harness) {
	var rewriting []arm
	for _, a := range allArms {
		if a.rewrites {
			rewriting = append(rewriting, a)
		}
	}
	for i, a := range rewriting {
		t.Run(a.name, func(t *testing.T) {
			for j, b := range rewriting {
				if n := i*len(rewriting) + j; !h.skips(n) {
					runPair(t, h, a, b, uint64(n))
				}
			}
		})
	}
}

func runPair(t *testing.T, h Harness, a, b arm, seed uint64) {
	s := peopleSession(t, h, 20)
	run := func(x *txn, a arm, seed uint64) {
		if c := a.make(newGen(seed), x); c != nil {
			_ = x.alter("people", c) // whether it may fail is the model's to say
		}
	}
	x := s.begin()
	x.touchPeople()
	x.fillPeople(100, 5)
	first := x.savepoint()
	run(x, a, seed)
	x.check()
	x.fillPeople(200, 5)
	x.touchPeople()
	second := x.savepoint()
	run(x, b, seed+1)
	x.check()
	x.rollbackTo(second)
	x.check()
	run(x, b, seed+2)
	x.fillPeople(300, 5)
	x.check()
	x.rollbackTo(first)
	x.check()
	run(x, b, seed+3)
	x.touchPeople()
	run(x, a, seed+4)
	x.check()
	x.commit()
	s.check()
	if seed%4 == 0 {
		s.reopen()
	}
	if t.Failed() {
		t.Fatalf("%s, then %s", a.name, b.name)
	}
}
