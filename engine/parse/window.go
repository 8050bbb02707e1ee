package parse

import "github.com/quereus/quereus-migrate/engine/ast"

// atWindowClause reports whether the word WINDOW begins the clause: `window name as (`. Else it is a name.
func (p *parser) atWindowClause() bool {
	return p.peek().admits(contextual) && p.lookahead(func() bool {
		p.next()
		p.next()
		return p.acceptWord(wAs) && p.is(kLParen)
	})
}

func (p *parser) windowClause() []ast.NamedWindow {
	p.next()
	var windows []ast.NamedWindow
	for {
		w := ast.NamedWindow{Name: p.name(contextual, "window name")}
		p.expectWord(wAs, "'AS' after window name")
		w.Window = p.window()
		windows = append(windows, w)
		if !p.accept(kComma) {
			return windows
		}
	}
}

// over parses what follows OVER.
func (p *parser) over() *ast.Window {
	if p.is(kLParen) {
		return p.window()
	}
	name := p.name(contextual, "window name or '(' after OVER")
	return &ast.Window{Span: name.Span, Base: name, Bare: true}
}

// window parses a window specification in brackets.
func (p *parser) window() *ast.Window {
	w := &ast.Window{}
	open := p.open("'(' before window specification")
	if p.tok.admits(contextual) && !p.atGroupsFrame() {
		w.Base = p.takeName()
	}
	if p.acceptWord(wPartition) {
		p.expectWord(wBy, "'BY' after 'PARTITION'")
		w.PartitionBy = p.exprSequence()
	}
	w.OrderBy = p.optionalOrderBy()
	if p.isWord(wRows) || p.isWord(wRange) || p.atGroupsFrame() {
		w.Frame = p.frame()
	}
	p.close(open, "after window specification")
	w.Span = p.span(open)
	return w
}

// atGroupsFrame reports whether the word GROUPS begins a frame: a bound follows. Else it is the name of a window. In
// `groups groups 1 preceding` the first is the name.
func (p *parser) atGroupsFrame() bool {
	if !p.isWord(wGroups) {
		return false
	}
	t := p.peek()
	if t.word == wGroups {
		return !p.lookahead(func() bool {
			p.next()
			return p.peek().startsBound()
		})
	}
	return t.startsBound()
}

// startsBound reports whether a bound of a frame, or BETWEEN before two of them, can begin with the token.
func (t token) startsBound() bool {
	return t.word == wBetween || t.word == wUnbounded || t.word == wCurrent || t.startsOperand()
}

func (p *parser) frame() *ast.Frame {
	f := &ast.Frame{}
	from := p.tok.from
	switch p.tok.word {
	case wRange:
		f.Unit = ast.FrameRange
	case wGroups:
		f.Unit = ast.FrameGroups
	}
	p.next()
	if p.acceptWord(wBetween) {
		f.Start = p.frameBound()
		p.expectWord(wAnd, "'AND' between the bounds of a frame")
		last := p.frameBound()
		f.Last = &last
	} else {
		f.Start = p.frameBound()
	}
	if p.acceptWord(wExclude) {
		f.Exclude = p.frameExclude()
	}
	p.grow(1)
	f.Span = p.span(from)
	return f
}

func (p *parser) frameBound() ast.FrameBound {
	switch {
	case p.acceptWord(wUnbounded):
		if p.acceptWord(wFollowing) {
			return ast.FrameBound{Kind: ast.UnboundedFollowing}
		}
		p.expectWord(wPreceding, "'PRECEDING' or 'FOLLOWING' after UNBOUNDED")
		return ast.FrameBound{Kind: ast.UnboundedPreceding}
	case p.acceptWord(wCurrent):
		p.expectWord(wRow, "'ROW' after CURRENT")
		return ast.FrameBound{Kind: ast.CurrentRow}
	}
	b := ast.FrameBound{Kind: ast.Preceding, Offset: p.operand(ast.LevelBits)}
	if p.acceptWord(wFollowing) {
		b.Kind = ast.Following
	} else {
		p.expectWord(wPreceding, "'PRECEDING' or 'FOLLOWING' after frame offset")
	}
	return b
}

func (p *parser) frameExclude() ast.FrameExclude {
	switch {
	case p.acceptWord(wNo):
		p.expectWord(wOthers, "'OTHERS' after EXCLUDE NO")
		return ast.ExcludeNoOthers
	case p.acceptWord(wCurrent):
		p.expectWord(wRow, "'ROW' after EXCLUDE CURRENT")
		return ast.ExcludeCurrentRow
	case p.acceptWord(wGroup):
		return ast.ExcludeGroup
	case p.acceptWord(wTies):
		return ast.ExcludeTies
	}
	p.expected("NO OTHERS, CURRENT ROW, GROUP, or TIES after EXCLUDE")
	return ast.ExcludeNone
}
