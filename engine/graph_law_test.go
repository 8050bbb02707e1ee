package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/engine/resolve/resolvetest"
	"github.com/quereus/quereus-migrate/types"
)

var graphNames = []string{"t", "u", "v", "w", "T2"}

// graphStatement draws a schema statement or one that moves within a transaction. Many are refused.
func graphStatement(g *resolvetest.Queries) string {
	name := func() string { return g.Pick(graphNames...) }
	schema := func() string { return g.Pick("main", "main", "s2") }
	table := schema() + "." + name()
	switch g.Pick("create", "create", "view", "view", "assertion", "index", "rename", "rename", "column", "add", "drop", "dropColumn", "constraint", "move") {
	case "create":
		return fmt.Sprintf("create table %s (a integer primary key, b integer null%s%s)", table,
			g.Pick("", ", p integer null references "+name()+"(a)", ", p integer null, foreign key (p) references "+schema()+"."+name()+" (a)"),
			g.Pick("", ", check (a > 0)", ", check (exists (select 1 from "+name()+"))", ", c integer default (select max(a) from "+name()+")"))
	case "view":
		return "create view " + table + " as " + g.Query()
	case "assertion":
		return "create assertion " + table + " check (not exists (" + g.Query() + "))"
	case "index":
		return fmt.Sprintf("create index %s on %s (b)%s", schema()+".i"+name(), table, g.Pick("", " where a > 1"))
	case "rename":
		return "alter table " + table + " rename to " + name()
	case "column":
		return "alter table " + table + " rename column " + g.Column() + " to " + g.Column()
	case "add":
		return "alter table " + table + " add column " + g.Column() + " integer null"
	case "drop":
		return "drop " + g.Pick("table ", "view ", "assertion ", "index ") + g.Pick("", "if exists ") + table
	case "dropColumn":
		return "alter table " + table + " drop column " + g.Column()
	case "constraint":
		return "alter table " + table + g.Pick(" add constraint k foreign key (b) references "+name()+" (a)", " drop constraint k",
			" add constraint k check (a in "+name()+")", " alter column b set default (select max(a) from "+name()+")")
	}
	return g.Pick("begin", "savepoint s", "rollback to s", "release s", "rollback", "commit")
}

// TestGraphIsAWalkOfAllTexts: after any schema statements, transactions taken back and the database opened again, the dependency graph of the
// catalog says what a walk over every text does, and what a text means is among what it names.
func TestGraphIsAWalkOfAllTexts(t *testing.T) {
	for name, make := range hosts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				h := make()
				s := graphSession(t, h)
				s.exec("declare schema s2 { }; apply schema s2")
				g := &resolvetest.Queries{T: t}
				for range rapid.IntRange(5, 30).Draw(t, "statements") {
					_, _ = s.Exec(ctx, graphStatement(g), engine.Params{})
					checkGraph(t, s)
				}
				require.NoError(t, s.DB().Close())
				if h.durable {
					s = graphSession(t, h)
					checkGraph(t, s)
					require.NoError(t, s.DB().Close())
				}
			})
		})
	}
}

func graphSession(t *rapid.T, h *host) *session {
	db, err := h.open(engine.Options{})
	require.NoError(t, err)
	return &session{Conn: db.Conn(), t: t}
}

// objectsOf lists every object of a catalog, schema by schema, tables before views before assertions.
func objectsOf(cat *catalog.Snapshot) []catalog.Object {
	var out []catalog.Object
	for _, schema := range cat.Schemas() {
		for t := range cat.Tables(schema) {
			out = append(out, t)
		}
		for v := range cat.Views(schema) {
			out = append(out, v)
		}
		for a := range cat.Assertions(schema) {
			out = append(out, a)
		}
	}
	return out
}

func checkGraph(t tester, s *session) {
	t.Helper()
	cat, err := s.Catalog()
	require.NoError(t, err)
	names := catalog.NewNames(cat, []string{"main"}, nil)
	readers := map[string][]catalog.Object{}
	children := map[[2]string][]*catalog.Table{}
	for _, o := range objectsOf(cat) {
		mine := map[string]bool{}
		for x := range names.Texts(o) {
			for _, q := range resolve.Sources(x.Node) {
				mine[types.Fold(q.Name.Text)] = true
			}
			for _, other := range objectsOf(cat) {
				var schema, name string
				switch other := other.(type) {
				case *catalog.Table:
					schema, name = other.Schema, other.Name
				case *catalog.View:
					schema, name = other.Schema, other.Name
				}
				if other != o && resolve.Mentions(x.Node, x.Home, schema, name, "") {
					require.True(t, mine[types.Fold(name)], "a text means %s.%s without naming it: %s", schema, name, ast.Format(x.Node))
				}
			}
		}
		for name := range mine {
			readers[name] = append(readers[name], o)
		}
		if table, ok := o.(*catalog.Table); ok {
			require.Same(t, table, cat.TableByID(table.ID))
			parents := map[[2]string]bool{}
			for _, fk := range table.ForeignKeys {
				schema, name := fk.ParentName(table)
				parents[[2]string{types.Fold(schema), types.Fold(name)}] = true
			}
			for p := range parents {
				children[p] = append(children[p], table)
			}
		}
	}
	for _, name := range append(graphNames, "seen", "none") {
		require.Equal(t, readers[types.Fold(name)], cat.Readers(name), name)
		require.Equal(t, reaching(readers, name), setOf(cat.Reaching(name)), name)
		for _, schema := range cat.Schemas() {
			require.ElementsMatch(t, children[[2]string{schema, types.Fold(name)}], cat.Children(schema, name))
		}
	}
}

// reaching closes over the views that read.
func reaching(readers map[string][]catalog.Object, name string) map[catalog.Object]bool {
	out := map[catalog.Object]bool{}
	var visit func(string)
	visit = func(name string) {
		for _, o := range readers[types.Fold(name)] {
			if out[o] {
				continue
			}
			out[o] = true
			if v, ok := o.(*catalog.View); ok {
				visit(v.Name)
			}
		}
	}
	visit(name)
	return out
}

func setOf(list []catalog.Object) map[catalog.Object]bool {
	out := map[catalog.Object]bool{}
	for _, o := range list {
		out[o] = true
	}
	return out
}
