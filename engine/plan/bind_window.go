package plan

import (
	"maps"
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

// windowing collects the window calls of one SELECT as its select list and ORDER BY are bound (docs/reference/language.md). They are computed
// above the groups and HAVING, below the select list.
type windowing struct {
	b     *Binder
	named map[string]*windowSpec
	// scope is where the parts of calls and windows are bound: it sees keys, aggregates and, in a grouped query, aliases, and no
	// window calls.
	scope *Scope
	// groups are the calls that agree in PARTITION BY and ORDER BY, by the texts of these.
	groups []*windowGroup
	byText map[string]*windowGroup
}

// windowSpec is a window with what it builds on filled in.
type windowSpec struct {
	partition []ast.Expr
	order     []ast.OrderTerm
	frame     *ast.Frame
}

// windowGroup is a Window node to be: its keys as they are bound, with the texts that recognise them.
type windowGroup struct {
	partition []Expr
	order     []SortKey
	texts     []string
	calls     []*WindowCall
}

// windows prepares the window calls of the query, and checks its named windows, the unused ones too.
func (s *selection) windows() {
	scope := *s.after
	if s.group != nil {
		scope.aliases = s.itemAliases()
	}
	w := &windowing{b: s.b, named: map[string]*windowSpec{}, scope: &scope, byText: map[string]*windowGroup{}}
	for _, n := range s.core.Windows {
		w.define(n)
	}
	listed := *s.after
	listed.windows = w
	s.listScope = &listed
}

// define adds a window of the WINDOW clause.
func (w *windowing) define(n ast.NamedWindow) {
	key := types.Fold(n.Name.Text)
	if w.named[key] != nil {
		w.b.fail(n.Name.Pos(), types.ERROR, "window %s is already defined", n.Name.Text)
		return
	}
	spec := w.resolve(n.Window)
	w.named[key] = spec
	w.keys(spec)
	w.frame(spec)
}

// resolve fills in what a window builds on. An unknown base is a fault.
func (w *windowing) resolve(n *ast.Window) *windowSpec {
	spec := &windowSpec{partition: n.PartitionBy, order: n.OrderBy, frame: n.Frame}
	if n.Base.IsZero() {
		return spec
	}
	base := w.named[types.Fold(n.Base.Text)]
	if base == nil {
		w.b.failWith(n.Base.Pos(), types.Errorf(types.ERROR, "no such window: %s", n.Base.Text).
			WithHint(types.NearHint(n.Base.Text, slices.Collect(maps.Keys(w.named)))))
		return spec
	}
	if n.Bare {
		return base
	}
	overridden := ""
	switch {
	case len(n.PartitionBy) > 0:
		overridden = "PARTITION clause"
	case len(n.OrderBy) > 0 && len(base.order) > 0:
		overridden = "ORDER BY clause"
	case base.frame != nil:
		overridden = "frame specification"
	}
	if overridden != "" {
		w.b.fail(n.Base.Pos(), types.ERROR, "cannot override %s of window: %s", overridden, n.Base.Text)
	}
	spec.partition = base.partition
	if len(base.order) > 0 {
		spec.order = base.order
	}
	return spec
}

// keys finds the group of calls that a window belongs to.
func (w *windowing) keys(spec *windowSpec) *windowGroup {
	g := &windowGroup{}
	text := ""
	for _, x := range spec.partition {
		g.partition = append(g.partition, w.b.expr(x, w.scope))
		g.texts = append(g.texts, exprKey(x))
		text += g.texts[len(g.texts)-1] + "\x00"
	}
	text += "\x01"
	for _, t := range spec.order {
		g.order = append(g.order, sortKey(w.b.expr(t.X, w.scope), t))
		term := exprKey(t.X)
		if t.Desc {
			term += "\x02"
		}
		if t.Nulls == ast.NullsLast {
			term += "\x03"
		}
		g.texts = append(g.texts, term)
		text += term + "\x00"
	}
	if known := w.byText[text]; known != nil {
		return known
	}
	w.byText[text] = g
	w.groups = append(w.groups, g)
	return g
}

// windowCall binds a call with OVER.
func (b *Binder) windowCall(c *ast.Call, s *Scope) Expr {
	f, err := b.env.Functions.LookupWindow(c.Name.Text, len(c.Args))
	switch {
	case err != nil:
		b.failWith(c.Pos(), err)
	case s == nil || s.windows == nil:
		b.fail(c.Pos(), types.ERROR, "Window function %s is not allowed here: it may stand in a select list or ORDER BY", f.Name)
	case s.windows.isSound(c, f):
		return s.windows.call(c, f)
	}
	return b.bad(c.Pos())
}

// isSound refuses clauses that the function does not take.
func (w *windowing) isSound(c *ast.Call, f *function.Function) bool {
	b := w.b
	switch {
	case f.Kind != function.Aggregate && w.b.hasAggregateClauses(c, f):
		return false
	case len(c.OrderBy) > 0:
		b.fail(c.Pos(), types.ERROR, "ORDER BY inside a call of %s does not go with OVER: order the window", f.Name)
		return false
	case c.Nulls != ast.NullsUnsaid && !f.TakesNulls:
		b.fail(c.Pos(), types.ERROR, "IGNORE NULLS and RESPECT NULLS are for lag, lead, first_value, last_value and nth_value, not for %s", f.Name)
		return false
	}
	return true
}

// call binds a call, as a column of its group.
func (w *windowing) call(c *ast.Call, f *function.Function) Expr {
	b := w.b
	spec := w.resolve(c.Over)
	if err := f.CheckWindow(len(spec.order) > 0); err != nil {
		b.failWith(c.Pos(), err)
		return b.bad(c.Pos())
	}
	call := &WindowCall{
		Fn: f, Args: b.exprs(c.Args, w.scope), Distinct: c.Distinct, IgnoreNulls: c.Nulls == ast.IgnoreNulls,
		Frame: w.frame(spec), Pos: b.pos(c.Pos()),
	}
	if c.Filter != nil {
		call.Filter = b.expr(c.Filter, w.scope)
	}
	args := b.arguments(c, f, call.Args)
	call.Column = b.column(exprKey(c), b.resultInfo(c, f, args))
	if f.Kind == function.Aggregate {
		state, err := f.NewState(args)
		if err != nil {
			b.failWith(c.Pos(), err)
		}
		call.New = state
	}
	g := w.keys(spec)
	g.calls = append(g.calls, call)
	return b.ref(call.Column, c.Pos())
}

// frame binds a window's frame, the default where it has none.
func (w *windowing) frame(spec *windowSpec) WindowFrame {
	out := WindowFrame{Unit: ast.FrameRange, Start: WindowBound{Kind: ast.UnboundedPreceding}, End: WindowBound{Kind: ast.CurrentRow}}
	f := spec.frame
	if f == nil {
		return out
	}
	last := ast.FrameBound{Kind: ast.CurrentRow}
	if f.Last != nil {
		last = *f.Last
	}
	if f.Start.Kind == ast.UnboundedFollowing || last.Kind == ast.UnboundedPreceding || f.Start.Kind > last.Kind {
		w.b.fail(f.Pos(), types.ERROR, "a window frame cannot end before it starts: %s", ast.Format(f))
	}
	return WindowFrame{Unit: f.Unit, Start: w.bound(f.Start), End: w.bound(last), Exclude: f.Exclude}
}

// bound binds one end of a frame. A literal offset is judged here, any other for each row.
func (w *windowing) bound(f ast.FrameBound) WindowBound {
	out := WindowBound{Kind: f.Kind}
	if f.Offset == nil {
		return out
	}
	out.Offset = w.b.expr(f.Offset, w.scope)
	n, ok := literalNumber(f.Offset)
	switch {
	case ok && !isFrameOffset(n):
		w.b.fail(f.Offset.Pos(), types.ERROR, "Invalid window frame offset: %s. Must be a non-negative integer", types.ToText(n))
	case !ok && isLiteral(f.Offset):
		w.b.fail(f.Offset.Pos(), types.UNSUPPORTED, "Window frame offsets must be constant numeric literals, or expressions that are no literals: %s", ast.Format(f.Offset))
	}
	return out
}

// isFrameOffset reports whether a number may be the offset of a frame.
func isFrameOffset(n types.Value) bool {
	return types.IsWhole(n) && types.CompareNumbers(n, types.Int(0)) >= 0
}

func isLiteral(x ast.Expr) bool { _, ok := x.(*ast.Literal); return ok }

// literalNumber reads a numeric literal that may carry a sign.
func literalNumber(x ast.Expr) (n types.Value, ok bool) {
	if n, ok = integerLiteral(x); ok {
		return n, ok
	}
	switch x := x.(type) {
	case *ast.Literal:
		if x.Kind == ast.RealLit {
			return types.ParseWholeNumber(x.Text)
		}
	case *ast.Unary:
		if n, ok = literalNumber(x.X); ok && x.Op == ast.OpNeg {
			n = types.Neg(n)
		}
		return n, ok && isLiteral(x.X)
	}
	return types.Null, false
}

// above stacks the Window nodes of the query on a node. Windows whose keys begin another's are computed in its order, so that one sort
// serves them all.
func (w *windowing) above(input Node) Node {
	groups := slices.DeleteFunc(slices.Clone(w.groups), func(g *windowGroup) bool { return len(g.calls) == 0 })
	slices.SortStableFunc(groups, func(a, b *windowGroup) int { return len(b.texts) - len(a.texts) })
	var sortedBy []string
	for len(groups) > 0 {
		at := slices.IndexFunc(groups, func(g *windowGroup) bool { return isPrefix(g.texts, sortedBy) })
		shared := at >= 0
		at = max(at, 0)
		g := groups[at]
		groups = slices.Delete(groups, at, at+1)
		input = w.node(g, input, shared)
		if !shared {
			sortedBy = g.texts
		}
	}
	return input
}

func isPrefix(short, long []string) bool {
	return len(short) <= len(long) && slices.Equal(short, long[:len(short)])
}

// node puts one Window above a node, with a Sort below it unless the rows come in its order.
func (w *windowing) node(g *windowGroup, input Node, isSorted bool) Node {
	n := &Window{Calls: g.calls}
	keys := w.keyColumns(g, &input)
	var sort []SortKey
	for i, c := range keys {
		if i < len(g.partition) {
			n.Partition = append(n.Partition, c)
			sort = append(sort, SortKey{X: c})
			continue
		}
		t := g.order[i-len(g.partition)]
		k := WindowKey{Col: c, Desc: t.Desc, NullsLast: t.NullsLast}
		n.Order = append(n.Order, k)
		sort = append(sort, k.sortKey())
	}
	n.Input = input
	if !isSorted {
		n.Input = sorted(input, sort)
	}
	return n
}

// keyColumns gives the columns of a window's keys, in order. What is no column of the input is computed by a projection put above it,
// once for the sort and the window.
func (w *windowing) keyColumns(g *windowGroup, input *Node) []*Col {
	exprs := slices.Clone(g.partition)
	for _, k := range g.order {
		exprs = append(exprs, k.X)
	}
	cols := make([]*Col, len(exprs))
	below := (*input).Output()
	p := &Project{Input: *input}
	for _, c := range below {
		p.Items = append(p.Items, Item{Column: c, X: w.b.ref(c, ast.NoPos)})
	}
	for i, x := range exprs {
		if c, ok := x.(*Col); ok && findColumn(below, c.ID) >= 0 {
			cols[i] = c
			continue
		}
		item := Item{Column: w.b.column(exprText(x), x.Static()), X: x}
		p.Items = append(p.Items, item)
		cols[i] = w.b.ref(item.Column, x.Static().Pos)
	}
	if len(p.Items) > len(below) {
		*input = p
	}
	return cols
}
