package plan

import (
	"errors"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// Mode is what a stored expression of a table is for, and so what it may read (docs/reference/language.md).
type Mode uint8

// The modes.
const (
	// DefaultExpr reads new.c of supplied columns, and context variables; a bare column is refused.
	DefaultExpr Mode = iota
	// CheckExpr reads the images new and old, bare columns of one of them, and context variables.
	CheckExpr
	// GeneratedExpr reads the table's own columns: c, t.c, s.t.c, new.c.
	GeneratedExpr
	// IndexExpr is a member or predicate of an index: the table's own columns.
	IndexExpr
	// RowExpr is an expression of the engine's over a row of the table: no rule but the names of the columns.
	RowExpr
)

// Use says where a stored expression stands.
type Use struct {
	Mode Mode
	// Column is the column that a default or generated expression belongs to, for messages.
	Column string
	// Place names the expression in messages, as catalog.Table.Describe does; "" for the mode's word.
	Place string
	// Supplied are the columns that the INSERT supplies, which alone a default reads; nil for all.
	Supplied *vtab.ColumnSet
	// BareOld makes bare columns mean the old row: a CHECK in a DELETE.
	BareOld bool
	// AnyFunction lifts the determinism rule for this expression.
	AnyFunction bool
}

// TableExpr is a stored expression bound over one table. It is evaluated over a row that holds the new image's columns, then, for
// a CHECK, those of the old image, then the context variables: Layout.
type TableExpr struct {
	X      Expr
	Layout []Column
	// OldAt and ContextAt are where the old image and the context variables begin in Layout; -1 for a mode without them.
	OldAt, ContextAt int
	// New and Old are the columns read of each image, Context the variables.
	New, Old    vtab.ColumnSet
	Context     []int
	HasSubquery bool
}

// images are what expressions over a table's row may read: the columns of its two images, and the context variables.
type images struct {
	new, old, context []Column
	// bare are the names of the columns that begin at bareOf.
	bare   []visible
	bareOf *Column
}

// row gives the bare names of the columns of an image. Those that were asked for last are kept.
func (im *images) row(cols []Column) []visible {
	if len(cols) > 0 && im.bareOf != &cols[0] {
		im.bare, im.bareOf = visibles(cols), &cols[0]
	}
	return im.bare
}

// images makes columns for the images of a table's row. The old image may be absent.
func (b *Binder) images(t *catalog.Table) *images {
	im := &images{new: b.tableColumns(t)}
	im.old = b.renew(im.new)
	for i := range im.old {
		im.old[i].Nullable = true
	}
	for _, v := range t.Context {
		im.context = append(im.context, Column{ID: b.newID(), Name: v.Name, Type: v.Type, Nullable: !v.NotNull})
	}
	return im
}

// TableBinder binds stored expressions over the row of one table, whose columns it makes once for all of them. It is used by one
// goroutine.
type TableBinder struct {
	table   *catalog.Table
	env     *Env
	images  *images
	lastCol ColID // of the images
}

// NewTableBinder makes the binder of a table's expressions. Names of relations in them mean the table's own schema.
func NewTableBinder(t *catalog.Table, env *Env) *TableBinder {
	b := NewBinder(env)
	tb := &TableBinder{table: t, env: env, images: b.images(t)}
	tb.lastCol = b.lastCol
	return tb
}

// Bind binds an expression.
func (tb *TableBinder) Bind(x ast.Expr, use Use) (*TableExpr, error) {
	te := &TableExpr{OldAt: -1, ContextAt: -1}
	o, err := tb.bind(te, x, use)
	if err != nil {
		return nil, err
	}
	te.layOut(tb.images, use)
	te.reads(tb.images)
	te.X = o.storedExpr(te.X)
	return te, o.err
}

// Check judges an expression as Bind does.
func (tb *TableBinder) Check(x ast.Expr, use Use) error {
	var te TableExpr
	o, err := tb.bind(&te, x, use)
	if err != nil {
		return err
	}
	o.storedExpr(te.X)
	return o.err
}

func (tb *TableBinder) bind(te *TableExpr, x ast.Expr, use Use) (*optimizer, error) {
	b := NewBinder(tb.env)
	b.stored, b.fresh, b.path, b.lastCol = true, tb.env.Fresh, []string{tb.table.Schema}, tb.lastCol
	b.parameterless = use.Mode.what()
	te.X = b.expr(x, tb.images.scope(tb.table, use))
	if b.err == nil && !use.AnyFunction {
		b.requireDeterminism(te.X, use)
	}
	if b.err != nil {
		return nil, b.err
	}
	return newOptimizer(b), nil
}

// BindTableExpr binds one expression over the row of a table.
func BindTableExpr(t *catalog.Table, x ast.Expr, use Use, env *Env) (*TableExpr, error) {
	return NewTableBinder(t, env).Bind(x, use)
}

// what names the place of an expression in messages.
func (m Mode) what() string {
	return [...]string{DefaultExpr: "DEFAULT", CheckExpr: "CHECK", GeneratedExpr: "GENERATED ALWAYS AS", IndexExpr: "an index", RowExpr: "a stored expression"}[m]
}

// scope makes the scope in which a stored expression is bound.
func (im *images) scope(t *catalog.Table, use Use) *Scope {
	s := &Scope{missing: missingName(t, use)}
	own := &source{name: types.Fold(t.Name), schema: types.Fold(t.Schema), cols: im.new}
	image := &source{name: "new", cols: im.new}
	context := &source{name: "context", cols: im.context}
	switch use.Mode {
	case DefaultExpr:
		s.sources = []*source{context, supplied(image, use.Supplied)}
		s.visible = visibles(im.context)
	case CheckExpr:
		if use.BareOld {
			own.cols = im.old
		}
		s.sources = []*source{context, image, {name: "old", cols: im.old}, own}
		s.visible = hiding(visibles(im.context), im.row(own.cols))
	default:
		s.sources = []*source{image, own}
		s.visible = im.row(im.new)
	}
	return s
}

// hiding puts names in front of others, those of the same name left out.
func hiding(front, behind []visible) []visible {
	if len(front) == 0 {
		return behind
	}
	return append(slices.DeleteFunc(slices.Clone(behind), func(v visible) bool {
		return slices.ContainsFunc(front, func(f visible) bool { return f.fold == v.fold })
	}), front...)
}

// supplied keeps of an image what an INSERT supplies.
func supplied(image *source, set *vtab.ColumnSet) *source {
	if set == nil {
		return image
	}
	out := &source{name: image.name}
	for i, c := range image.cols {
		if set.Has(i) {
			out.cols = append(out.cols, c)
		}
	}
	return out
}

// missingName words the fault of a name that a stored expression does not know.
func missingName(t *catalog.Table, use Use) func(ref *ast.ColumnRef) *types.Error {
	return func(ref *ast.ColumnRef) *types.Error {
		switch {
		case use.Mode == DefaultExpr && ref.Table.IsZero() && t.ColumnIndex(ref.Column.Text) >= 0:
			return types.Errorf(types.ERROR, "DEFAULT of column '%s' may not reference a bare column: %s (write new.%s)",
				use.Column, ref.Column.Text, ref.Column.Text)
		case use.Mode == GeneratedExpr && ref.Table.IsZero():
			return types.Errorf(types.ERROR, "Column '%s' referenced by generated column '%s' not found", ref.Column.Text, use.Column)
		case use.Mode == GeneratedExpr && t.ColumnIndex(ref.Column.Text) < 0 && isOwn(t, ref):
			return types.Errorf(types.ERROR, "Column '%s' referenced by generated column '%s' not found", ref.Column.Text, use.Column)
		case use.Mode == GeneratedExpr:
			return types.Errorf(types.ERROR, "'%s' in generated column '%s' binds nothing", refText(ref), use.Column)
		}
		return nil
	}
}

// isOwn reports whether a reference is qualified by the table itself or by new.
func isOwn(t *catalog.Table, ref *ast.ColumnRef) bool {
	return types.EqualFold(ref.Table.Text, t.Name) || types.EqualFold(ref.Table.Text, "new")
}

// ErrNondeterministic is the cause of the error about a stored expression that does not give the same value every time.
var ErrNondeterministic = errors.New("the expression is not deterministic")

// requireDeterminism refuses what does not give the same value every time.
func (b *Binder) requireDeterminism(x Expr, use Use) {
	if use.Mode == RowExpr || b.env.Nondeterministic || !varies(x) {
		return
	}
	place := use.Place
	if place == "" {
		place = use.Mode.what()
	}
	b.failWith(ast.NoPos, &types.Error{Code: types.ERROR,
		Message: "Non-deterministic expression not allowed in " + place + ".", Cause: ErrNondeterministic,
		Hint: "pragma nondeterministic_schema = true allows it"})
}

// varies reports whether an expression calls something non-deterministic, in its subqueries too.
func varies(x Expr) bool {
	found := false
	walkExpr(x, func(x Expr) bool {
		switch x := x.(type) {
		case *Clock:
			found = true
		case *Call:
			found = found || !x.Fn.Deterministic
		}
		if s := subplanOf(x); s != nil && !found {
			found = nodeVaries(s.Root)
		}
		return !found
	})
	return found
}

// nodeVaries reports whether a plan calls something non-deterministic.
func nodeVaries(root Node) bool {
	found := false
	walkTree(root, func(n Node) {
		switch n := n.(type) {
		case *TableFunc:
			found = found || !n.Fn.Deterministic
		case *Aggregate:
			for _, a := range n.Aggs {
				found = found || !a.Fn.Deterministic
			}
		case *Window:
			for _, c := range n.Calls {
				found = found || !c.Fn.Deterministic
			}
		}
		eachExpr(n, func(slot *Expr) { found = found || varies(*slot) })
	})
	return found
}

// layOut settles the row that the expression is evaluated over.
func (te *TableExpr) layOut(im *images, use Use) {
	te.Layout = append(make([]Column, 0, len(im.new)+len(im.old)+len(im.context)), im.new...)
	if use.Mode == CheckExpr {
		te.OldAt = len(te.Layout)
		te.Layout = append(te.Layout, im.old...)
	}
	if use.Mode == CheckExpr || use.Mode == DefaultExpr {
		te.ContextAt = len(te.Layout)
		te.Layout = append(te.Layout, im.context...)
	}
}

// reads notes what the expression reads.
func (te *TableExpr) reads(im *images) {
	te.HasSubquery = HasSubquery(te.X)
	for id := range ExprColumns(te.X) {
		if i := findColumn(im.new, id); i >= 0 {
			te.New.Add(i)
		}
		if i := findColumn(im.old, id); i >= 0 {
			te.Old.Add(i)
		}
		if i := findColumn(im.context, id); i >= 0 {
			te.Context = append(te.Context, i)
		}
	}
	slices.Sort(te.Context)
}

// storedExpr plans the subqueries of an expression and folds its constants.
func (o *optimizer) storedExpr(x Expr) Expr {
	o.depth++ // the subqueries read the row, which no node makes
	defer func() { o.depth-- }()
	return rewriteExpr(o.planSubqueries(x), o.foldExpr)
}
