package vtabtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// arm is one shape of alteration. It fits any table that the suite makes.
type arm struct {
	name string
	// change gives the definition after, and a conversion when rows change; nil when the arm does not fit the table.
	change func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration
	// rewrites tells that the arm writes ranges anew, or tries to.
	rewrites bool
}

// make gives the alteration of table people.
func (a arm) make(g *gen, x *txn) *vtab.Alteration { return a.of(g, x, "people") }

func (a arm) of(g *gen, x *txn, table string) *vtab.Alteration {
	before := x.now[table].def
	change := a.change(g, x, before)
	if change != nil {
		change.Before = before
	}
	return change
}

func after(t *catalog.Table) *vtab.Alteration { return &vtab.Alteration{After: t} }

var (
	rekey = arm{"alter primary key", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		key := []catalog.KeyColumn{{Column: len(t.Columns) - 1, Desc: true}}
		for i := range t.Columns[:len(t.Columns)-1] {
			key = append(key, catalog.KeyColumn{Column: i, Desc: i%2 == 1})
		}
		if len(t.Key.Columns) == len(key) { // back again
			key = []catalog.KeyColumn{{Column: 0}}
		}
		return after(must[*catalog.Table](x.t)(t.WithKey(key)))
	}, true}

	rekeyNarrow = arm{"alter primary key to one column", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		return after(must[*catalog.Table](x.t)(t.WithKey([]catalog.KeyColumn{{Column: g.IntN(len(t.Columns))}})))
	}, true}

	addNull = arm{"add column", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		return after(t.WithAddedColumn(&catalog.Column{Name: x.freshName(), Type: types.TypeInteger, Collation: types.Binary}))
	}, false}

	addConstant = arm{"add column with a constant", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		return after(t.WithAddedColumn(&catalog.Column{
			Name: x.freshName(), Type: types.TypeText, NotNull: true, Collation: types.NoCase, Fill: types.Text("Fill"),
		}))
	}, false}

	addComputed = arm{"add computed column", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		a := after(t.WithAddedColumn(&catalog.Column{Name: x.freshName(), Type: types.TypeText, Collation: types.Binary}))
		a.Convert = func(dst, src types.Row) error {
			copy(dst, src)
			dst[len(src)] = types.Text("of " + types.ToText(src[0]))
			return nil
		}
		a.Changed = []int{len(t.Columns)}
		return a
	}, true}

	addUniqueColumn = arm{"add column with a rule", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		n := t.WithAddedColumn(&catalog.Column{Name: x.freshName(), Type: types.TypeText, Collation: types.Binary, Fill: pick(g, types.Null, types.Text("same"))})
		n.Uniques = append(n.Uniques, &catalog.Unique{ID: x.ids.NewID(), Columns: []int{len(t.Columns)}})
		return after(n)
	}, true}

	dropColumn = arm{"drop column", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		for _, i := range g.Perm(len(t.Columns)) {
			if len(t.Columns) > 1 && !t.InKey(i) && !isRead(t, i) {
				return after(t.ShiftForDrop(i).Table)
			}
		}
		return nil
	}, true}

	renameColumn = arm{"rename column", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		i, to := g.IntN(len(t.Columns)), x.freshName()
		from := t.Columns[i].Name
		n := t.WithColumn(i, func(c *catalog.Column) { c.Name = to })
		rename := func(e ast.Expr) ast.Expr {
			if e == nil {
				return nil
			}
			return ast.Rewrite(e, func(n ast.Node) ast.Node {
				if r, ok := n.(*ast.ColumnRef); ok && types.EqualFold(r.Column.Text, from) {
					return &ast.ColumnRef{Column: ast.Ident(to)}
				}
				return n
			}).(ast.Expr)
		}
		for j := range n.Indexes {
			n = n.WithIndex(j, func(ix *catalog.Index) {
				ix.Where, ix.Members = rename(ix.Where), slices.Clone(ix.Members)
				for k := range ix.Members {
					ix.Members[k].X = rename(ix.Members[k].X)
				}
			})
		}
		return after(n)
	}, false}

	retype = arm{"set data type", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		for _, i := range g.Perm(len(t.Columns)) {
			if t.Columns[i].Type != types.TypeInteger || t.InKey(i) || isRead(t, i) {
				continue
			}
			a := after(t.WithColumn(i, func(c *catalog.Column) { c.Type, c.TypeName = types.TypeText, "text" }))
			a.Changed = []int{i}
			a.Convert = func(dst, src types.Row) error {
				copy(dst, src)
				if !src[i].IsNull() {
					dst[i] = types.Text(types.ToText(src[i]))
				}
				return nil
			}
			return a
		}
		return nil
	}, true}

	retypeInPlace = arm{"set data type without conversion", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		for _, i := range g.Perm(len(t.Columns)) {
			if t.Columns[i].Type == types.TypeText {
				return after(t.WithColumn(i, func(c *catalog.Column) { c.Type, c.TypeName = types.TypeAny, "any" }))
			}
		}
		return nil
	}, true}

	setCollate = arm{"set collate", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		for _, i := range g.Perm(len(t.Columns)) {
			if was := t.Columns[i].Collation; t.Columns[i].Type == types.TypeText {
				to := pick(g, types.Binary, types.NoCase, types.RTrim)
				n := t.WithColumn(i, func(c *catalog.Column) { c.Collation = to })
				for j := range n.Indexes {
					n = n.WithIndex(j, func(ix *catalog.Index) {
						ix.Members = slices.Clone(ix.Members)
						for k, m := range ix.Members {
							if m.Column == i && m.Collation == was {
								ix.Members[k].Collation = to
							}
						}
					})
				}
				return after(n)
			}
		}
		return nil
	}, true}

	setNotNull = arm{"set not null", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		for _, i := range g.Perm(len(t.Columns)) {
			if t.Columns[i].NotNull || t.Columns[i].Type != types.TypeInteger {
				continue
			}
			a := after(t.WithColumn(i, func(c *catalog.Column) { c.NotNull = true }))
			a.Changed = []int{i}
			a.Convert = func(dst, src types.Row) error {
				copy(dst, src)
				if src[i].IsNull() {
					dst[i] = types.Int(2000)
				}
				return nil
			}
			return a
		}
		return nil
	}, true}

	dropNotNull = arm{"drop not null", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		return after(t.WithColumn(g.IntN(len(t.Columns)), func(c *catalog.Column) { c.NotNull = false }))
	}, false}

	createIndex = arm{"create index", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration { return newIndexArm(g, x, t, "") }, true}

	createUnique = arm{"create unique index", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		return newIndexArm(g, x, t, "unique ")
	}, true}

	dropIndex = arm{"drop index", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		if len(t.Indexes) == 0 {
			return nil
		}
		n := t.Clone()
		i := g.IntN(len(n.Indexes))
		n.Indexes = slices.Delete(n.Indexes, i, i+1)
		return after(n)
	}, false}

	addRule = arm{"add unique", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		n := t.Clone()
		n.Uniques = append(n.Uniques, &catalog.Unique{ID: x.ids.NewID(), Columns: g.Perm(len(t.Columns))[:1+g.IntN(min(2, len(t.Columns)))]})
		return after(n)
	}, true}

	dropRule = arm{"drop unique", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		if len(t.Uniques) == 0 {
			return nil
		}
		n := t.Clone()
		n.Uniques = n.Uniques[1:]
		return after(n)
	}, false}

	metadata = arm{"tags and names", func(g *gen, x *txn, t *catalog.Table) *vtab.Alteration {
		n := t.Clone()
		n.Tags = append(n.Tags, catalog.Tag{Key: x.freshName(), Value: types.Int(1)})
		return after(n)
	}, false}
)

// allArms are all shapes of alteration.
var allArms = []arm{
	rekey, rekeyNarrow, addNull, addConstant, addComputed, addUniqueColumn, dropColumn, renameColumn, retype, retypeInPlace, setCollate,
	setNotNull, dropNotNull, createIndex, createUnique, dropIndex, addRule, dropRule, metadata,
}

func newIndexArm(g *gen, x *txn, t *catalog.Table, unique string) *vtab.Alteration {
	var members []string
	for _, c := range g.Perm(len(t.Columns))[:1+g.IntN(min(2, len(t.Columns)))] {
		members = append(members, t.Columns[c].Name+pick(g, "", " desc"))
	}
	n := t.Clone()
	n.Indexes = append(n.Indexes, x.index(n, fmt.Sprintf("create %sindex %s on %s (%s)", unique, x.freshName(), t.Name, strings.Join(members, ", "))))
	return after(n)
}

// isRead reports whether a predicate or an expression of an index reads the column.
func isRead(t *catalog.Table, column int) bool {
	read := false
	for _, ix := range t.Indexes {
		for _, e := range append([]ast.Expr{ix.Where}, expressions(ix)...) {
			if e == nil {
				continue
			}
			ast.Walk(e, func(n ast.Node) bool {
				if r, ok := n.(*ast.ColumnRef); ok && t.ColumnIndex(r.Column.Text) == column {
					read = true
				}
				return true
			})
		}
	}
	return read
}

func expressions(ix *catalog.Index) []ast.Expr {
	var out []ast.Expr
	for _, m := range ix.Members {
		out = append(out, m.X)
	}
	return out
}

// freshName gives a name that nothing has.
func (s *session) freshName() string { return fmt.Sprintf("n%d", s.ids.NewSeq()) }
