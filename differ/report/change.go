package report

import (
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/format"
	"github.com/quereus/quereus-migrate/types"
)

// Change is an object before and after.
type Change struct {
	Kind string
	// Name is the object's, Was what it was called before if that was something else.
	Name, Was string
	// Before and After are its definitions over several lines, "" where it is not there.
	Before, After string
}

// Verb says in a word what becomes of the object.
func (c *Change) Verb() string {
	switch {
	case c.Before == "":
		return "added"
	case c.After == "":
		return "removed"
	case c.Was != "":
		return "renamed"
	}
	return "changed"
}

// object is a definition with its name.
type object struct {
	kind, name, text string
}

func (o object) key() string { return o.kind + " " + types.Fold(o.name) }

// Changes compares the declarations of a schema before and after: objects that come or change in the order of after, then those that go
// in the order of before. Renames are those of the plan.
func Changes(before, after *ast.DeclareSchemaStmt, plan *differ.Plan) []Change {
	old, now := objects(before), objects(after)
	formerly := renames(plan)
	wasNamed := func(o object) string {
		if was, ok := formerly[types.Fold(o.name)]; ok && o.kind == "table" {
			return was
		}
		return o.name
	}
	var out []Change
	met := map[string]bool{}
	for _, o := range now {
		was := object{kind: o.kind, name: wasNamed(o)}
		at := slices.IndexFunc(old, func(x object) bool { return x.key() == was.key() })
		if at < 0 {
			out = append(out, Change{Kind: o.kind, Name: o.name, After: o.text})
			continue
		}
		met[was.key()] = true
		if old[at].text != o.text {
			c := Change{Kind: o.kind, Name: o.name, Before: old[at].text, After: o.text}
			if !types.EqualFold(old[at].name, o.name) {
				c.Was = old[at].name
			}
			out = append(out, c)
		}
	}
	for _, o := range old {
		if !met[o.key()] {
			out = append(out, Change{Kind: o.kind, Name: o.name, Before: o.text})
		}
	}
	return out
}

// objects lists what a schema declares.
func objects(s *ast.DeclareSchemaStmt) []object {
	if s == nil {
		return nil
	}
	var out []object
	add := func(kind string, name ast.QName, n ast.Node) {
		out = append(out, object{kind, name.Name.Text, spread(ast.FormatWith(n, ast.Options{Implied: catalog.MainSchema}))})
	}
	for _, item := range s.Items {
		switch n := item.(type) {
		case *ast.CreateTableStmt:
			add("table", n.Name, n)
		case *ast.CreateIndexStmt:
			add("index", n.Name, n)
		case *ast.CreateViewStmt:
			add("view", n.Name, n)
		case *ast.CreateMaterializedViewStmt:
			add("materialized view", n.Name, n)
		case *ast.CreateAssertionStmt:
			add("assertion", n.Name, n)
		}
	}
	return out
}

// spread lays a statement out over several lines.
func spread(sql string) string {
	text, err := format.Source(ast.NewSource("", sql+";"))
	if err != nil { // it does not parse alone
		return sql
	}
	return strings.TrimSuffix(text, "\n")
}

// renames gives the former names of the tables that a plan renames, by their folded names afterwards.
func renames(plan *differ.Plan) map[string]string {
	out := map[string]string{}
	for i := range plan.Steps {
		s, ok := plan.Steps[i].Stmt.(*ast.AlterStmt)
		if !ok {
			continue
		}
		if to, ok := s.Action.(*ast.RenameTable); ok {
			was := s.Name.Name.Text
			if first, ok := out[types.Fold(was)]; ok { // a name in between, as of two tables that change their names
				delete(out, types.Fold(was))
				was = first
			}
			out[types.Fold(to.To.Text)] = was
		}
	}
	return out
}
