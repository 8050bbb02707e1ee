package resolve_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
)

// bound draws queries whose every column reference is known to mean one column of one table: it keeps its own books of what is in
// scope, and writes a reference bare or qualified as these allow.
type bound struct {
	*gen
	frames []boundFrame
	ctes   []boundSource
	// meaning is the base column ("t.a") that a reference reads by passing it on under its name, "" for any other.
	meaning map[*ast.ColumnRef]string
}

type boundFrame []boundSource

type boundSource struct {
	name    string
	columns []boundColumn
}

type boundColumn struct{ name, base string }

var boundNames = []string{"a", "d", "k", "n", "p", "t", "u", "w", "x"}

func newBound(t *rapid.T) *bound {
	return &bound{gen: newGen(t, 12), meaning: make(map[*ast.ColumnRef]string)}
}

func (b *bound) query() (*ast.SelectStmt, []boundColumn) {
	q := &ast.SelectStmt{}
	ctes := len(b.ctes)
	if b.spend() && b.chance(4) {
		q.With = b.with()
	}
	b.frames = append(b.frames, nil)
	core := &ast.SelectCore{From: b.source()}
	for b.spend() && b.chance(3) {
		core.From = &ast.Join{Kind: ast.CommaJoin, L: core.From, R: b.source()}
	}
	columns := b.items(core)
	if b.chance(2) {
		core.Where = &ast.Binary{Op: ast.OpEq, L: b.ref(), R: b.ref()}
	}
	if b.spend() && b.chance(2) {
		sub, _ := b.query()
		core.Where = &ast.Exists{Query: sub}
	}
	b.frames = b.frames[:len(b.frames)-1]
	b.ctes = b.ctes[:ctes]
	q.Body = core
	return q, columns
}

func (b *bound) with() *ast.With {
	w := &ast.With{}
	name := pick(b.gen, boundNames...)
	sub, columns := b.query()
	w.Members = []ast.CTE{{Name: ast.Ident(name), Query: sub}}
	b.ctes = append(b.ctes, boundSource{name, columns})
	return w
}

// items draws a select list of distinct names.
func (b *bound) items(core *ast.SelectCore) (columns []boundColumn) {
	for range 1 + b.upTo(3) {
		x := b.ref()
		it := ast.SelectItem{X: x}
		c := boundColumn{x.Column.Text, b.meaning[x]}
		if b.chance(3) {
			c = boundColumn{name: pick(b.gen, boundNames...)}
			it.Alias = ast.Ident(c.name)
		}
		if slices.ContainsFunc(columns, func(o boundColumn) bool { return o.name == c.name }) {
			continue
		}
		core.Items = append(core.Items, it)
		columns = append(columns, c)
	}
	return columns
}

// source adds a source under a name that its frame does not have yet.
func (b *bound) source() ast.TableExpr {
	own := b.frames[len(b.frames)-1]
	taken := func(name string) bool {
		return slices.ContainsFunc(own, func(s boundSource) bool { return s.name == name })
	}
	alias := pick(b.gen, slices.DeleteFunc(slices.Clone(boundNames), taken)...)
	if b.spend() && b.chance(4) {
		outer := b.frames
		b.frames = slices.Clone(b.frames[:len(b.frames)-1])
		sub, columns := b.query()
		b.frames = outer
		b.add(boundSource{alias, columns})
		return &ast.TableSubquery{Query: sub, Alias: ast.Ident(alias)}
	}
	name := pick(b.gen, "t", "u", "w")
	ref := &ast.TableRef{Name: ast.QName{Name: ast.Ident(name)}}
	columns := b.relation(name)
	if taken(name) || b.chance(2) {
		ref.Alias = ast.Ident(alias)
		name = alias
	}
	b.add(boundSource{name, columns})
	return ref
}

func (b *bound) add(s boundSource) {
	last := len(b.frames) - 1
	b.frames[last] = append(slices.Clip(b.frames[last]), s)
}

func (b *bound) relation(name string) []boundColumn {
	for _, c := range slices.Backward(b.ctes) {
		if c.name == name {
			return c.columns
		}
	}
	var columns []boundColumn
	for c := range strings.FieldsSeq(sample["main."+name]) {
		columns = append(columns, boundColumn{c, name + "." + c})
	}
	return columns
}

// ref draws a reference to some column in scope.
func (b *bound) ref() *ast.ColumnRef {
	f := b.frames[len(b.frames)-1]
	if len(b.frames) > 1 && b.chance(3) {
		f = b.frames[b.upTo(len(b.frames))]
	}
	src := f[b.upTo(len(f))]
	c := src.columns[b.upTo(len(src.columns))]
	x := &ast.ColumnRef{Column: ast.Ident(c.name)}
	switch bare, qualified := b.finds("", c.name, src), b.finds(src.name, c.name, src); {
	case bare && (!qualified || b.chance(2)):
	case qualified:
		x.Table = ast.Ident(src.name)
	default:
		return b.ref()
	}
	b.meaning[x] = c.base
	return x
}

// finds reports whether a spelling of a column means that of src, and no other.
func (b *bound) finds(qualifier, column string, src boundSource) bool {
	for _, f := range slices.Backward(b.frames) {
		var hits []boundSource
		for _, s := range f {
			has := slices.ContainsFunc(s.columns, func(c boundColumn) bool { return c.name == column })
			if qualifier == "" && has || qualifier != "" && s.name == qualifier {
				hits = append(hits, s)
			}
		}
		if len(hits) > 0 {
			return len(hits) == 1 && hits[0].name == src.name && &hits[0].columns[0] == &src.columns[0]
		}
	}
	return false
}

// refs lists the column references of a tree in order.
func refs(n ast.Node) (list []*ast.ColumnRef) {
	ast.Walk(n, func(n ast.Node) bool {
		if c, ok := n.(*ast.ColumnRef); ok {
			list = append(list, c)
		}
		return true
	})
	return list
}

const freshName = "fresh"

// requireMeaning holds that in q, read against the catalog, exactly the i-th references with meaning[i] = rel.col follow a renaming
// of that column, for every column there is.
func requireMeaning(t *rapid.T, q *ast.SelectStmt, catalog tables, meaning []string, text string) {
	home := resolve.Home{Catalog: catalog, Path: []string{"main"}}
	for _, rel := range []string{"t", "u", "w", "n"} {
		for column := range strings.FieldsSeq(catalog["main."+rel]) {
			got, _ := resolve.Rename(q, home, resolve.Renaming{Schema: "main", Name: rel, Column: column, To: freshName})
			for i, x := range refs(got) {
				require.Equal(t, meaning[i] == rel+"."+column, x.Column.Text == freshName,
					"%s.%s at reference %d of: %s\nread from: %s", rel, column, i, ast.Format(q), text)
			}
		}
	}
}

// TestReferencesMeanTheSame: references resolve as the books of their author say, and they still do after a renaming that clashes with
// the other names of the text.
func TestReferencesMeanTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBound(t)
		q, _ := b.query()
		text := ast.Format(q)
		var meaning []string
		for _, x := range refs(q) {
			meaning = append(meaning, b.meaning[x])
		}
		catalog := tables{"main.t": sample["main.t"], "main.u": sample["main.u"], "main.w": sample["main.w"]}
		requireMeaning(t, q, catalog, meaning, text)

		r, after := clash(b.gen, catalog)
		got, _ := resolve.Rename(q, resolve.Home{Catalog: catalog, Path: []string{"main"}}, r)
		if len(refs(got)) != len(meaning) {
			t.Skip("a table keeps its old columns")
		}
		from, to := r.Name+"."+r.Column, r.Name+"."+r.To
		if r.Column == "" {
			from, to = r.Name+".", r.To+"."
		}
		for i, m := range meaning {
			if m == from || r.Column == "" {
				meaning[i] = strings.Replace(m, from, to, 1)
			}
		}
		requireMeaning(t, got, after, meaning, text+fmt.Sprintf(" under %+v", r))
	})
}

// clash draws a renaming to a name that queries use elsewhere, and the catalog behind it.
func clash(g *gen, catalog tables) (resolve.Renaming, tables) {
	r := resolve.Renaming{Schema: "main", Name: pick(g, "t", "u", "w")}
	after := maps.Clone(catalog)
	key := "main." + r.Name
	if g.chance(3) {
		r.To = "n"
		after["main.n"] = after[key]
		delete(after, key)
		return r, after
	}
	columns := strings.Fields(catalog[key])
	r.Column = pick(g, columns...)
	r.To = pick(g, slices.DeleteFunc([]string{"d", "x", "k", "n", "p"}, func(n string) bool { return slices.Contains(columns, n) })...)
	columns[slices.Index(columns, r.Column)] = r.To
	after[key] = strings.Join(columns, " ")
	return r, after
}
