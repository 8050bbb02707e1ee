package vtabtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// structure is a key, rule or index as the model sees it.
type structure struct {
	name    string
	ref     *vtab.IndexRef
	members []modelMember
	unique  bool
	primary bool
	action  ast.ConflictAction
	where   ast.Expr
	// memberNames are as messages show them.
	memberNames []string
}

type modelMember struct {
	column  int
	x       ast.Expr
	desc    bool
	compare types.Comparator
}

// structuresOf lists the key, the UNIQUE constraints and the indexes.
func structuresOf(t *catalog.Table) []structure {
	key := structure{
		name: "key", primary: true, unique: true, action: t.Key.OnConflict,
		ref: &vtab.IndexRef{Name: vtab.PrimaryIndex, Primary: true, Unique: -1, Index: -1},
	}
	for _, k := range t.Key.Columns {
		key.add(t, k.Column, nil, t.Columns[k.Column].Collation, k.Desc)
	}
	out := []structure{key}
	for i, u := range t.Uniques {
		s := structure{name: t.StructureName(u), unique: true, action: u.OnConflict, ref: &vtab.IndexRef{Name: t.StructureName(u), Unique: i, Index: -1}}
		for _, c := range u.Columns {
			s.add(t, c, nil, t.Columns[c].Collation, false)
		}
		out = append(out, s)
	}
	for i, ix := range t.Indexes {
		s := structure{name: ix.Name, unique: ix.Unique, where: ix.Where, ref: &vtab.IndexRef{Name: ix.Name, Unique: -1, Index: i}}
		for _, m := range ix.Members {
			s.add(t, m.Column, m.X, m.Collation, m.Desc)
		}
		out = append(out, s)
	}
	return out
}

func (s *structure) add(t *catalog.Table, column int, x ast.Expr, c *types.Collation, desc bool) {
	m := modelMember{column: column, x: x, desc: desc}
	if x == nil {
		m.compare = types.NewComparator(t.Columns[column].Type, c)
		s.memberNames = append(s.memberNames, t.Columns[column].Name)
	} else {
		m.compare = types.NewComparator(nil, c)
		s.memberNames = append(s.memberNames, ast.Format(x))
	}
	s.members = append(s.members, m)
}

func (m *modelMember) value(t *catalog.Table, r types.Row) types.Value {
	if m.x == nil {
		return r[m.column]
	}
	return evaluate(t, m.x, r)
}

// holds reports whether the structure has an entry for the row.
func (s *structure) holds(t *catalog.Table, r types.Row) bool {
	if s.where == nil {
		return true
	}
	truth, _ := types.Truth(evaluate(t, s.where, r))
	return truth
}

// compare orders rows by the members. NULLs are first in both directions.
func (s *structure) compare(t *catalog.Table, a, b types.Row) int {
	for i := range s.members {
		m := &s.members[i]
		x, y := m.value(t, a), m.value(t, b)
		term := types.OrderTerm{Cmp: m.compare, Desc: m.desc}
		if c := term.Compare(x, y); c != 0 {
			return c
		}
	}
	return 0
}

// order gives the rows that the structure has, as it has them.
func (s *structure) order(t testing.TB, rel relation) []types.Row {
	key := structuresOf(rel.def)[0]
	var out []types.Row
	for _, r := range rel.rows {
		if s.holds(rel.def, r) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b types.Row) int {
		if c := s.compare(rel.def, a, b); c != 0 {
			return c
		}
		return key.compare(rel.def, a, b)
	})
	return out
}

// clash reports whether the rule forbids both rows to stand together.
func (s *structure) clash(t *catalog.Table, a, b types.Row) bool {
	if !s.unique || !s.holds(t, a) || !s.holds(t, b) || s.compare(t, a, b) != 0 {
		return false
	}
	if s.primary {
		return true
	}
	return !slices.ContainsFunc(s.members, func(m modelMember) bool { return m.value(t, a).IsNull() })
}

func (s *structure) failure(t *catalog.Table) string {
	if s.primary {
		return "UNIQUE constraint failed: " + t.Name + " PK."
	}
	return fmt.Sprintf("UNIQUE constraint failed: %s (%s)", t.Name, strings.Join(s.memberNames, ", "))
}

// find gives the position of the row with the key of r, -1 when there is none.
func (rel relation) find(r types.Row) int {
	key := structuresOf(rel.def)[0]
	return slices.IndexFunc(rel.rows, func(o types.Row) bool { return key.compare(rel.def, o, r) == 0 })
}

// apply gives the rows after an operation, and what the module should answer.
func (rel relation) apply(t testing.TB, op *vtab.RowOp) ([]types.Row, vtab.UpdateResult) {
	var res vtab.UpdateResult
	rows := slices.Clone(rel.rows)
	at := -1
	if op.Kind != vtab.OpInsert {
		if at = rel.find(op.Old); at < 0 {
			res.Status = vtab.Nothing
			return rows, res
		}
		rows = slices.Delete(rows, at, at+1)
	}
	if op.Kind == vtab.OpDelete {
		return rows, res
	}
	var gone []int
	for _, s := range structuresOf(rel.def) {
		for i, r := range rows {
			if !s.clash(rel.def, r, op.New) {
				continue
			}
			action := s.action
			if op.OnConflict != ast.ConflictDefault {
				action = op.OnConflict
			}
			if action == ast.ConflictDefault {
				action = ast.ConflictAbort
			}
			switch action {
			case ast.ConflictReplace:
				if !slices.Contains(gone, i) {
					gone = append(gone, i)
				}
			case ast.ConflictIgnore:
				return rel.rows, vtab.UpdateResult{Status: vtab.Nothing}
			default:
				return rel.rows, vtab.UpdateResult{Status: vtab.Conflict, Failed: &vtab.Violation{
					Primary: s.primary, Message: s.failure(rel.def), Action: action, Existing: r,
				}}
			}
		}
	}
	key := structuresOf(rel.def)[0]
	slices.Sort(gone)
	for _, i := range slices.Backward(gone) {
		if key.compare(rel.def, rows[i], op.New) == 0 {
			res.Replaced = rows[i]
		} else {
			res.Evicted = append(res.Evicted, rows[i])
		}
		rows = slices.Delete(rows, i, i+1)
	}
	return append(rows, op.New.Clone()), res
}

// alterRows gives the rows after an alteration, or the error that the module should give: the first row that fails to convert, in key
// order, or the first rule in order that two rows break.
func alterRows(a *vtab.Alteration, rows []types.Row) ([]types.Row, error) {
	key := structuresOf(a.Before)[0]
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(x, y types.Row) int { return key.compare(a.Before, x, y) })
	out := make([]types.Row, len(rows))
	for i, r := range rows {
		out[i] = make(types.Row, len(a.After.Columns))
		if a.Convert != nil {
			if err := a.Convert(out[i], r); err != nil {
				return nil, err
			}
			continue
		}
		for j, c := range a.After.Columns {
			out[i][j] = c.Fill
			for k, was := range a.Before.Columns {
				if was.ID == c.ID {
					out[i][j] = r[k]
				}
			}
		}
	}
	for _, s := range structuresOf(a.After) {
		for i := range out {
			for j := range i {
				if s.clash(a.After, out[i], out[j]) {
					return nil, types.Errorf(types.CONSTRAINT, "%s", s.failure(a.After))
				}
			}
		}
	}
	return out, nil
}

// rowText spells a row so that values of different kinds look different.
func rowText(r types.Row) string {
	if r == nil {
		return "none"
	}
	var b []byte
	for i, v := range r {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(types.AppendWire(b, v), ':')
		b = append(b, v.Kind().String()[0])
	}
	return string(b)
}

func rowTexts(rows []types.Row) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = rowText(r)
	}
	return out
}
