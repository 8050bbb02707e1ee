package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

var joinKinds = map[ast.JoinKind]JoinKind{
	ast.InnerJoin: InnerJoin, ast.CrossJoin: InnerJoin, ast.CommaJoin: InnerJoin,
	ast.LeftJoin: LeftJoin, ast.RightJoin: RightJoin, ast.FullJoin: FullJoin,
}

// joinPart binds a join with everything it puts into scope.
func (b *Binder) joinPart(j *ast.Join, outer *Scope) part {
	l := b.from(j.L, outer, outer)
	r := b.joinRight(j, l, outer)
	b.refuseSameNames(l, r, j.R.Pos())
	n := &Join{Kind: joinKinds[j.Kind], L: l.node, R: r.node, Lateral: j.Lateral}
	var pairs []namePair
	if j.Natural {
		pairs = b.commonNames(j, l, r)
	}
	b.condition(j, n, l, r, pairs, outer)
	if n.Kind == LeftJoin || n.Kind == FullJoin {
		r = r.nullExtended()
	}
	if n.Kind == RightJoin || n.Kind == FullJoin {
		l = l.nullExtended()
	}
	p := part{node: n, sources: slices.Concat(l.sources, r.sources), visible: slices.Concat(l.visible, r.visible)}
	b.matchFlags(j, n, &p)
	if len(pairs) > 0 {
		b.merge(&p, n.Kind, pairs, len(l.visible))
	}
	return p
}

// joinRight binds the right source, which under LATERAL sees the left one.
func (b *Binder) joinRight(j *ast.Join, l part, outer *Scope) part {
	if !j.Lateral {
		return b.from(j.R, outer, outer)
	}
	if j.Kind == ast.RightJoin || j.Kind == ast.FullJoin {
		b.fail(j.R.Pos(), types.ERROR, "LATERAL cannot follow a RIGHT or FULL join: its source is read once for each left row")
	}
	b.nested++
	defer func() { b.nested-- }()
	return b.from(j.R, outer, l.scope(outer))
}

// refuseSameNames refuses two sources of one name.
func (b *Binder) refuseSameNames(l, r part, at ast.Pos) {
	for _, x := range l.sources {
		for _, y := range r.sources {
			if x.name != "" && x.name == y.name {
				b.fail(at, types.ERROR, "duplicate source name: %s", x.name)
			}
		}
	}
}

// nullExtended gives the part with all of its columns nullable.
func (p part) nullExtended() part {
	p.sources, p.visible = slices.Clone(p.sources), slices.Clone(p.visible)
	for i, src := range p.sources {
		p.sources[i] = &source{name: src.name, schema: src.schema, cols: nullable(src.cols)}
	}
	for i := range p.visible {
		p.visible[i].col.Nullable = true
	}
	return p
}

// condition binds ON, USING, or the equations of NATURAL.
func (b *Binder) condition(j *ast.Join, n *Join, l, r part, pairs []namePair, outer *Scope) {
	if j.On != nil {
		s := &Scope{outer: outer, sources: slices.Concat(l.sources, r.sources), visible: slices.Concat(l.visible, r.visible)}
		n.On = Conjuncts(b.expr(j.On, s))
	}
	for _, c := range j.Using {
		pair, side := findPair(c, l, r)
		if side != "" {
			b.fail(c.Pos(), types.ERROR, "USING column not found on %s side of join: %s", side, c.Text)
			return
		}
		pairs = append(pairs, pair)
	}
	for _, p := range pairs {
		n.On = append(n.On, b.compare(p.at, Eq, b.ref(p.left, p.at), b.ref(p.right, p.at)))
	}
}

// namePair is a column of each side of a join that share a name.
type namePair struct {
	fold        string
	left, right Column
	at          ast.Pos
}

// findPair finds the columns that a name of USING means; side tells which side lacks it.
func findPair(c ast.Name, l, r part) (p namePair, side string) {
	p = namePair{fold: types.Fold(c.Text), at: c.Pos()}
	var ok bool
	if p.left, ok = firstVisible(l.visible, p.fold); !ok {
		return p, "left"
	}
	if p.right, ok = firstVisible(r.visible, p.fold); !ok {
		return p, "right"
	}
	return p, ""
}

func firstVisible(list []visible, fold string) (Column, bool) {
	i := slices.IndexFunc(list, func(v visible) bool { return v.fold == fold })
	if i < 0 {
		return Column{}, false
	}
	return list[i].col, true
}

// commonNames lists the names that both sides of a natural join show. One that a side shows twice is ambiguous.
func (b *Binder) commonNames(j *ast.Join, l, r part) []namePair {
	var pairs []namePair
	for _, v := range l.visible {
		right, ok := firstVisible(r.visible, v.fold)
		if !ok {
			continue
		}
		if countVisible(l.visible, v.fold) > 1 || countVisible(r.visible, v.fold) > 1 {
			b.fail(j.R.Pos(), types.ERROR, "ambiguous column name: %s", v.col.Name)
			return nil
		}
		pairs = append(pairs, namePair{fold: v.fold, left: v.col, right: right, at: j.R.Pos()})
	}
	return pairs
}

func countVisible(list []visible, fold string) int {
	n := 0
	for _, v := range list {
		if v.fold == fold {
			n++
		}
	}
	return n
}

// merge makes the common columns of a natural join one each, at their place on the left: the left value, under RIGHT the right
// one, under FULL the first that is not NULL. left is the number of columns that the left side shows.
func (b *Binder) merge(p *part, kind JoinKind, pairs []namePair, left int) {
	visible := make([]visible, 0, len(p.visible))
	merged := map[string]bool{}
	for _, pair := range pairs {
		merged[pair.fold] = true
	}
	for i, v := range p.visible {
		if merged[v.fold] && i >= left && i < len(p.visible) {
			continue
		}
		if merged[v.fold] && kind != InnerJoin && kind != LeftJoin {
			right, _ := firstVisible(p.visible[left:], v.fold)
			v.col = b.mergeColumn(p, kind, v.col, right)
		}
		visible = append(visible, v)
	}
	p.visible = visible
}

// mergeColumn gives the column that stands for a pair where the left one cannot. Under FULL it is computed above the join.
func (b *Binder) mergeColumn(p *part, kind JoinKind, left, right Column) Column {
	if kind == RightJoin {
		right.Name = left.Name
		return right
	}
	args := []Expr{b.ref(left, ast.NoPos), b.ref(right, ast.NoPos)}
	x := &Coalesce{Info: *mergeArms(args), Args: args}
	c := b.column(left.Name, &x.Info)
	above, ok := p.node.(*Project)
	if !ok {
		above = &Project{Input: p.node}
		for _, col := range p.node.Output() {
			above.Items = append(above.Items, Item{Column: col, X: b.ref(col, ast.NoPos)})
		}
		p.node = above
	}
	above.Items = append(above.Items, Item{Column: c, X: x})
	return c
}

var joinNames = [...]string{InnerJoin: "INNER", LeftJoin: "LEFT", RightJoin: "RIGHT", FullJoin: "FULL"}

// matchFlags binds `exists [left|right] as name`: columns that tell whether the side that is not preserved matched.
func (b *Binder) matchFlags(j *ast.Join, n *Join, p *part) {
	for _, f := range j.Flags {
		left, ok := b.flagSide(j.Kind, n.Kind, f)
		if !ok {
			return
		}
		slot := &n.RightMatched
		if left {
			slot = &n.LeftMatched
		}
		if slot.ID == 0 {
			*slot = Column{ID: b.newID(), Name: f.Name.Text, Type: types.TypeBoolean}
		}
		c := *slot
		c.Name = f.Name.Text
		p.visible = append(p.visible, visible{fold: types.Fold(c.Name), col: c})
	}
}

// flagSide tells which side a match flag speaks of; ok is false after a fault.
func (b *Binder) flagSide(written ast.JoinKind, kind JoinKind, f ast.MatchFlag) (left, ok bool) {
	word := [...]string{ast.FlagDefault: "exists", ast.FlagLeft: "exists left", ast.FlagRight: "exists right"}[f.Side]
	left = f.Side == ast.FlagLeft || f.Side == ast.FlagDefault && kind == RightJoin
	switch {
	case written == ast.CrossJoin:
		b.fail(f.Pos, types.ERROR, "'exists ... as' is not valid on an CROSS join")
	case kind == InnerJoin:
		b.fail(f.Pos, types.ERROR, "'exists ... as' is not valid on an INNER join")
	case kind == FullJoin && f.Side == ast.FlagDefault:
		b.fail(f.Pos, types.ERROR, "'exists as' is ambiguous on a FULL join")
	case kind == LeftJoin && left, kind == RightJoin && !left:
		b.fail(f.Pos, types.ERROR, "'%s as' references the preserved side of a %s join", word, joinNames[kind])
	default:
		return left, true
	}
	return left, false
}
