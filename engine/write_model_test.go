package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The model of data changes (docs/reference/language.md) over tables of small integers: rows in Go maps by their key, changed row by row.

// modelValue is an integer, or NULL when not ok.
type modelValue struct {
	n  int
	ok bool
}

func (v modelValue) String() string {
	if !v.ok {
		return "null"
	}
	return fmt.Sprint(v.n)
}

type modelRow []modelValue

// modelTable is a table whose key is its first column. Conflict actions are "" where none is declared.
type modelTable struct {
	name     string
	columns  []string
	null     []bool
	nullActs []string // of NOT NULL
	defaults []modelValue
	desc     bool  // the key's direction
	unique   []int // columns with a UNIQUE
	uniqueAct,
	checkAct string
	check int // the column that must not be 5; -1 for none
	keys  []*modelKey
}

// modelKey is a foreign key of one column. CASCADE on delete is called delete.
type modelKey struct {
	child, parent      *modelTable
	column, referred   int
	onDelete, onUpdate string
}

type modelRows map[*modelTable]map[int]modelRow

type model struct {
	tables []*modelTable
	rows   modelRows
}

func (m *model) clone() modelRows {
	out := modelRows{}
	for t, rows := range m.rows {
		out[t] = map[int]modelRow{}
		for k, r := range rows {
			out[t][k] = slices.Clone(r)
		}
	}
	return out
}

func (m *model) dump() string {
	var b strings.Builder
	for _, t := range m.tables {
		for _, k := range slices.Sorted(maps.Keys(m.rows[t])) {
			fmt.Fprintln(&b, t.name, m.rows[t][k])
		}
	}
	return b.String()
}

// orphans tells whether a row refers to nothing.
func (m *model) orphans() error {
	s := &modelStmt{m: m}
	for _, t := range m.tables {
		for _, k := range t.keys {
			for _, r := range m.rows[t] {
				if v := r[k.column]; v.ok && !s.hasParent(k, v) {
					return &violation{"abort", "an orphan in " + t.name}
				}
			}
		}
	}
	return nil
}

// violation is how a statement fails, with the conflict action: abort, fail or rollback.
type violation struct{ action, what string }

func (v *violation) Error() string { return v.action + ": " + v.what }

var errSkipped = errors.New("the row is skipped")

func violated(action, what string) error {
	switch action {
	case "ignore":
		return errSkipped
	case "fail", "rollback":
		return &violation{action, what}
	}
	return &violation{"abort", what}
}

func failed(err error) bool {
	v, ok := err.(*violation)
	return ok && v.action == "fail"
}

// modelStmt is one statement on the model.
type modelStmt struct {
	m *model
	// due are foreign-key actions to carry out; restricts are the values that nothing may hold at the end.
	due, restricts []func() error
	lost           map[int]bool // keys of rows of the target that REPLACE removed from an UPDATE
}

// settle carries out the actions that are due, and those that they lead to.
func (s *modelStmt) settle() error {
	for len(s.due) > 0 {
		f := s.due[0]
		s.due = s.due[1:]
		if err := f(); failed(err) {
			return &violation{"abort", err.Error()}
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (s *modelStmt) end() error {
	if err := s.settle(); err != nil {
		return err
	}
	for _, f := range s.restricts {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// admit are the rules that a row meets before it is written: NOT NULL, CHECK, and under an OR clause foreign keys.
func (s *modelStmt) admit(t *modelTable, r modelRow, or string) error {
	for i := range t.columns {
		if !t.null[i] && !r[i].ok && firstWord(or, t.nullActs[i]) == "replace" {
			r[i] = t.defaults[i]
		}
	}
	for i := range t.columns {
		if !t.null[i] && !r[i].ok {
			return violated(firstWord(or, t.nullActs[i]), "NOT NULL "+t.name+"."+t.columns[i])
		}
	}
	if t.check >= 0 && r[t.check] == (modelValue{5, true}) {
		return violated(firstWord(or, t.checkAct), "CHECK "+t.name)
	}
	if or == "" || or == "abort" {
		return nil
	}
	for _, k := range t.keys {
		if v := r[k.column]; v.ok && !s.hasParent(k, v) && (k.parent != t || r[k.referred] != v) {
			return violated(or, "FOREIGN KEY "+t.name)
		}
	}
	return nil
}

func firstWord(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (s *modelStmt) hasParent(k *modelKey, v modelValue) bool {
	for _, p := range s.m.rows[k.parent] {
		if p[k.referred] == v {
			return true
		}
	}
	return false
}

// conflicts gives the rows in the way of r, which is to replace old: the one with its key, then one a UNIQUE.
func (s *modelStmt) conflicts(t *modelTable, old, r modelRow) (rows []modelRow, what string) {
	isOther := func(o modelRow) bool { return old == nil || o[0] != old[0] }
	if o := s.m.rows[t][r[0].n]; o != nil && isOther(o) {
		rows, what = append(rows, o), t.name+" PK"
	}
	for _, u := range t.unique {
		for _, o := range s.m.rows[t] {
			if r[u].ok && o[u] == r[u] && isOther(o) && !slices.ContainsFunc(rows, func(x modelRow) bool { return x[0] == o[0] }) {
				rows, what = append(rows, o), firstWord(what, t.name+"."+t.columns[u])
			}
		}
	}
	return rows, what
}

// write puts r in the place of old, nil for an INSERT, and notes what follows.
func (s *modelStmt) write(t *modelTable, old, r modelRow, or string) error {
	rows, what := s.conflicts(t, old, r)
	if act := firstWord(or, t.uniqueAct); len(rows) > 0 && act != "replace" {
		return violated(act, "UNIQUE "+what)
	}
	for _, o := range rows {
		delete(s.m.rows[t], o[0].n)
		if s.lost != nil {
			s.lost[o[0].n] = true
		}
	}
	if old != nil {
		delete(s.m.rows[t], old[0].n)
	}
	s.m.rows[t][r[0].n] = slices.Clone(r)
	for _, o := range rows {
		s.gone(t, o, r, old == nil)
	}
	for _, k := range s.referring(t) {
		if old == nil || !old[k.referred].ok || old[k.referred] == r[k.referred] {
			continue
		}
		s.note(k, k.onUpdate, old[k.referred], r[k.referred], nil)
	}
	return nil
}

func (s *modelStmt) referring(parent *modelTable) (out []*modelKey) {
	for _, t := range s.m.tables {
		for _, k := range t.keys {
			if k.parent == parent {
				out = append(out, k)
			}
		}
	}
	return out
}

// gone notes that a row was removed: by another in its place, that of an INSERT or not, or by nothing at all.
func (s *modelStmt) gone(t *modelTable, old, by modelRow, inserted bool) {
	for _, k := range s.referring(t) {
		v := old[k.referred]
		same := by != nil && by[k.referred] == v
		if !v.ok || same && k.onDelete == "restrict" {
			continue
		}
		var own modelRow
		if same && inserted && k.child == t {
			own = by // it is its own parent
		}
		s.note(k, k.onDelete, v, modelValue{}, own)
	}
}

// note takes an action on the children that hold v, but for own.
func (s *modelStmt) note(k *modelKey, action string, v, to modelValue, own modelRow) {
	if action == "restrict" {
		s.restrict(k, v)
		return
	}
	s.due = append(s.due, func() error {
		for _, c := range s.holders(k, v) {
			if own != nil && c[0] == own[0] {
				continue
			}
			if err := s.act(k, action, c, to); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *modelStmt) restrict(k *modelKey, v modelValue) {
	s.restricts = append(s.restricts, func() error {
		if len(s.holders(k, v)) > 0 {
			return &violation{"abort", "RESTRICT " + k.child.name}
		}
		return nil
	})
}

func (s *modelStmt) holders(k *modelKey, v modelValue) (out []modelRow) {
	for _, key := range slices.Sorted(maps.Keys(s.m.rows[k.child])) {
		if r := s.m.rows[k.child][key]; r[k.column] == v {
			out = append(out, r)
		}
	}
	return out
}

// act deals with one child. One that a conflict action leaves alone must not hold the value at the end.
func (s *modelStmt) act(k *modelKey, action string, c modelRow, to modelValue) error {
	if action == "delete" {
		delete(s.m.rows[k.child], c[0].n)
		s.gone(k.child, c, nil, false)
		return nil
	}
	r := slices.Clone(c)
	switch action {
	case "set default":
		to = k.child.defaults[k.column]
	case "set null":
		to = modelValue{}
	}
	r[k.column] = to
	err := s.admit(k.child, r, "")
	if err == nil {
		err = s.write(k.child, c, r, "")
	}
	if err == errSkipped {
		s.restrict(k, c[k.column])
		return nil
	}
	return err
}

// stop is the end of a statement at a row that failed: under FAIL what was done before is completed.
func (s *modelStmt) stop(err error) error {
	if failed(err) {
		if e := s.end(); e != nil {
			return e
		}
	}
	return err
}

// targets gives the rows that satisfy a condition, as they lie.
func (m *model) targets(t *modelTable, where func(modelRow) bool) (out []modelRow) {
	for _, k := range slices.Sorted(maps.Keys(m.rows[t])) {
		if r := m.rows[t][k]; where(r) {
			out = append(out, slices.Clone(r))
		}
	}
	if t.desc {
		slices.Reverse(out)
	}
	return out
}

func (m *model) delete(t *modelTable, where func(modelRow) bool) error {
	s := &modelStmt{m: m}
	for _, r := range m.targets(t, where) {
		delete(m.rows[t], r[0].n)
		s.gone(t, r, nil, false)
	}
	return s.end()
}

func (m *model) update(t *modelTable, where func(modelRow) bool, set func(old, proposed modelRow) modelRow) error {
	s := &modelStmt{m: m, lost: map[int]bool{}}
	for _, old := range m.targets(t, where) {
		if s.lost[old[0].n] {
			continue
		}
		r := set(old, nil)
		err := s.admit(t, r, "")
		if err == nil {
			err = s.write(t, old, r, "")
		}
		if err != nil && err != errSkipped {
			return s.stop(err)
		}
	}
	return s.end()
}

// modelUpsert is ON CONFLICT: on any conflict for target -1, else on one over that column. set is nil for DO NOTHING.
type modelUpsert struct {
	target int
	where  func(modelRow) bool
	set    func(old, proposed modelRow) modelRow
}

func (m *model) insert(t *modelTable, rows []modelRow, or string, u *modelUpsert) error {
	s := &modelStmt{m: m}
	for _, r := range rows {
		before := m.clone()
		err := s.insertRow(t, slices.Clone(r), or, u)
		if err == nil {
			err = s.settle()
		}
		if failed(err) {
			m.rows = before
		}
		if err != nil && err != errSkipped {
			return s.stop(err)
		}
	}
	return s.end()
}

func (s *modelStmt) insertRow(t *modelTable, r modelRow, or string, u *modelUpsert) error {
	if err := s.admit(t, r, or); err != nil {
		return err
	}
	rows, _ := s.conflicts(t, nil, r)
	if u == nil || len(rows) == 0 || u.target >= 0 && (!r[u.target].ok || rows[0][u.target] != r[u.target]) {
		return s.write(t, nil, r, or)
	}
	old := rows[0]
	if u.set == nil || !u.where(old) {
		return nil
	}
	r = u.set(old, r)
	if err := s.admit(t, r, ""); err != nil {
		return err
	}
	return s.write(t, old, r, "")
}
