package plan

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/engine/resolve/resolvetest"
	"github.com/quereus/quereus-migrate/types"
)

// namesCatalog has the tables of resolvetest.
func namesCatalog(t require.TestingT) *catalog.Snapshot {
	edit := catalog.NewSnapshot().Edit()
	edit.AddSchema("s2")
	registry := types.NewRegistry()
	for _, name := range slices.Sorted(maps.Keys(resolvetest.Tables)) {
		list, err := parse.Stmts(ast.NewSource("", "create table "+name+" ("+strings.Join(resolvetest.Tables[name], " integer, ")+" integer)"))
		require.NoError(t, err)
		table, err := catalog.BuildTable(list[0].(*ast.CreateTableStmt), catalog.BuildEnv{Types: registry, Module: "memory", IDs: edit})
		require.NoError(t, err)
		edit.PutTable(table)
	}
	return edit.Done()
}

// origins says for every column id of a bound tree which column of a table it is, as "schema.table.column"; what is computed has none.
type origins struct {
	tables map[ColID]string
	passed map[ColID]ColID
	bodies map[*CTE]Node
}

func originsOf(root Node) *origins {
	o := &origins{tables: map[ColID]string{}, passed: map[ColID]ColID{}, bodies: map[*CTE]Node{}}
	WalkNode(root, func(n Node) {
		if w, ok := n.(*With); ok {
			for i, c := range w.CTEs {
				o.bodies[c] = w.Bodies[i]
			}
		}
	})
	WalkNode(root, o.node)
	return o
}

func (o *origins) node(n Node) {
	switch n := n.(type) {
	case *Scan:
		for i, c := range n.Cols {
			o.tables[c.ID] = n.Table.Schema + "." + n.Table.Name + "." + n.Table.Columns[i].Name
		}
	case *Project:
		o.items(n.Items)
	case *Aggregate:
		o.items(n.Keys)
	case *CTERead:
		for i, c := range o.bodies[n.CTE].Output() {
			o.passed[n.Cols[i].ID] = c.ID
		}
	}
}

func (o *origins) items(items []Item) {
	for _, it := range items {
		if c, ok := it.X.(*Col); ok && c.ID != it.ID {
			o.passed[it.ID] = c.ID
		}
	}
}

func (o *origins) of(id ColID) string {
	for {
		next, ok := o.passed[id]
		if !ok {
			return o.tables[id]
		}
		id = next
	}
}

// TestNamesMeanWhatTheResolverSays: where the resolver takes a reference for a column of a table, the binder binds it to that column.
func TestNamesMeanWhatTheResolverSays(t *testing.T) {
	cat := namesCatalog(t)
	functions := function.Builtins()
	home := resolve.Home{Catalog: catalog.NewNames(cat, nil, func(name string, args int) ([]string, bool) {
		f := functions.Lookup(types.Fold(name), args, false)
		return nil, f != nil && f.Kind == function.Aggregate
	}), Path: []string{"main", "s2"}}
	bound := 0
	rapid.Check(t, func(t *rapid.T) {
		g := &resolvetest.Queries{T: t}
		for range 50 { // one in twenty can be bound
			text := g.Query()
			src := ast.NewSource("", text)
			q, err := parse.Query(src)
			if err != nil {
				continue
			}
			b := NewBinder(&Env{Catalog: cat, Types: types.NewRegistry(), Functions: functions, Source: src, SchemaPath: home.Path})
			root := b.query(q, nil)
			if b.err != nil {
				continue
			}
			bound++
			requireSame(t, text, q, home, root)
		}
	})
	require.Positive(t, bound)
}

func requireSame(t *rapid.T, text string, q *ast.SelectStmt, home resolve.Home, root Node) {
	means := map[ast.Pos]string{}
	columns, _ := resolve.Reads(q, home)
	for _, r := range columns {
		if r.At != nil {
			means[r.At.Pos()] = r.Schema + "." + r.Relation + "." + r.Column
		}
	}
	o := originsOf(root)
	WalkNode(root, func(n Node) {
		eachExpr(n, func(slot *Expr) {
			walkExpr(*slot, func(x Expr) bool {
				if c, ok := x.(*Col); ok && means[c.Pos] != "" {
					require.Equal(t, means[c.Pos], o.of(c.ID), "%s at %d of: %s", c.Name, c.Pos, text)
				}
				return true
			})
		})
	})
}
