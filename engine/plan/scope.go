package plan

import (
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Scope is what names may mean in one place of a query (docs/reference/language.md). A name is looked up here, then in the scopes outside.
type Scope struct {
	outer   *Scope
	sources []*source
	visible []visible
	// group is set where only grouping keys and aggregates may be read: behind the grouping of a query.
	group *grouping
	// windows is set where window calls may stand.
	windows *windowing
	// aliases are names of the select list that are visible here. Ahead, they hide columns (ORDER BY); otherwise they come
	// behind grouping keys (HAVING).
	aliases []alias
	ahead   bool
	// missing words the fault of a name that nothing knows, where stored expressions have words of their own; nil, or a nil
	// answer, for the usual ones.
	missing func(ref *ast.ColumnRef) *types.Error
}

// source is one source of FROM: a qualifier with the columns it reaches.
type source struct {
	name   string // folded; "" for none
	schema string // folded; "" unless the source is a table or view under its own name
	cols   []Column
}

// visible is a column that a bare name reaches and that * lists.
type visible struct {
	fold string
	col  Column
}

// alias is a name of the select list; bind makes the expression it stands for.
type alias struct {
	fold string
	bind func(at ast.Pos) Expr
}

// part is a bound source or join: its node, and what it puts into scope.
type part struct {
	node    Node
	sources []*source
	visible []visible
}

// newPart makes the part of one source. Its columns are the node's, under the given names where there are some.
func newPart(node Node, name, schema string, names []string) part {
	cols := node.Output()
	if names != nil {
		cols = append([]Column(nil), cols...)
		for i := range cols {
			cols[i].Name = names[i]
		}
	}
	src := &source{name: types.Fold(name), schema: types.Fold(schema), cols: cols}
	return part{node: node, sources: []*source{src}, visible: visibles(cols)}
}

func visibles(cols []Column) []visible {
	out := make([]visible, len(cols))
	for i, c := range cols {
		out[i] = visible{fold: types.Fold(c.Name), col: c}
	}
	return out
}

// scope makes the scope of a query that reads the part.
func (p *part) scope(outer *Scope) *Scope {
	return &Scope{outer: outer, sources: p.sources, visible: p.visible}
}

// columnRef binds a reference to a column.
func (b *Binder) columnRef(ref *ast.ColumnRef, s *Scope) Expr {
	for sc := s; sc != nil; sc = sc.outer {
		if x := b.lookup(ref, sc); x != nil {
			return x
		}
	}
	if x := b.clockWord(ref); x != nil {
		return x
	}
	b.failWith(ref.Pos(), notFound(ref, s))
	return b.bad(ref.Pos())
}

// notFound words the fault of a reference that names nothing.
func notFound(ref *ast.ColumnRef, inner *Scope) error {
	for s := inner; s != nil; s = s.outer {
		if s.missing == nil {
			continue
		}
		if err := s.missing(ref); err != nil {
			return err.WithHint(nearColumn(ref, inner))
		}
	}
	if ref.Table.IsZero() {
		return types.Errorf(types.ERROR, "Column not found: %s", ref.Column.Text).WithHint(nearColumn(ref, inner))
	}
	return types.Errorf(types.ERROR, "%s isn't a column", refText(ref)).WithHint(nearColumn(ref, inner))
}

// refText is a reference as it is told in messages.
func refText(ref *ast.ColumnRef) string {
	var parts []string
	for _, n := range []ast.Name{ref.Schema, ref.Table, ref.Column} {
		if !n.IsZero() {
			parts = append(parts, n.Text)
		}
	}
	return strings.Join(parts, ".")
}

// lookup binds a reference in one scope, nil when the scope does not know the name.
func (b *Binder) lookup(ref *ast.ColumnRef, s *Scope) Expr {
	fold := types.Fold(ref.Column.Text)
	if s.ahead && ref.Table.IsZero() {
		if x := s.alias(fold, ref.Pos()); x != nil {
			return x
		}
	}
	col, found := b.findColumn(ref, fold, s)
	if s.group == nil {
		if !found {
			return nil
		}
		return b.ref(col, ref.Pos())
	}
	if key, ok := s.group.key(col); found && ok {
		return b.ref(key, ref.Pos())
	}
	if !s.ahead && ref.Table.IsZero() {
		if x := s.alias(fold, ref.Pos()); x != nil {
			return x
		}
	}
	if !found {
		return nil
	}
	s.group.refuse(b, refText(ref), ref.Pos())
	return b.bad(ref.Pos())
}

func (s *Scope) alias(fold string, at ast.Pos) Expr {
	for _, a := range s.aliases {
		if a.fold == fold {
			return a.bind(at)
		}
	}
	return nil
}

// findColumn finds the column that a reference means among the sources of one scope. Several are a fault.
func (b *Binder) findColumn(ref *ast.ColumnRef, fold string, s *Scope) (col Column, found bool) {
	if !ref.Table.IsZero() {
		return s.qualified(ref, fold)
	}
	for i := range s.visible {
		if s.visible[i].fold != fold {
			continue
		}
		if found {
			b.fail(ref.Pos(), types.ERROR, "ambiguous column name: %s", ref.Column.Text)
			break
		}
		col, found = s.visible[i].col, true
	}
	return col, found
}

// qualified finds t.c or s.t.c.
func (s *Scope) qualified(ref *ast.ColumnRef, fold string) (col Column, found bool) {
	src := s.source(ref.Schema, ref.Table)
	if src == nil {
		return Column{}, false
	}
	for _, c := range src.cols {
		if types.Fold(c.Name) == fold {
			return c, true
		}
	}
	return Column{}, false
}

// source finds the source that a qualifier names, nil when there is none.
func (s *Scope) source(schema, name ast.Name) *source {
	fold := types.Fold(name.Text)
	for _, src := range s.sources {
		if src.name == fold && (schema.IsZero() || src.schema == types.Fold(schema.Text)) {
			return src
		}
	}
	return nil
}

// clockTypes are the types of the clock words.
var clockTypes = [...]*types.Type{ast.CurrentDate: types.TypeDate, ast.CurrentTime: types.TypeTime, ast.CurrentTimestamp: types.TypeDatetime}

func (b *Binder) clockWord(ref *ast.ColumnRef) Expr {
	w, ok := ref.Clock()
	if !ok {
		return nil
	}
	return &Clock{Info: Info{Type: clockTypes[w], Pos: b.pos(ref.Pos())}, Word: w}
}
