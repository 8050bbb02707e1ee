package format

import (
	"strings"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
)

const (
	indent = "  "
	// lineWidth is how many characters a line may have before it is broken where it can be.
	lineWidth = 100
)

// layout writes one text.
type layout struct {
	src     *ast.Source
	lexemes []parse.Lexeme
	lower   func(word string) bool
	// lines are the places where a line begins: items of declarations, columns and constraints of tables.
	lines map[ast.Pos]bool
	// prev and next are, for each lexeme, the places of the tokens before and after it, comments left out; -1 and the number of lexemes
	// where there is none.
	prev, next []int
	// raw tells of lexemes that what is between them and the one before stays as it is: inside the arguments of types, which are kept as
	// they are written.
	raw []bool
	// spread tells of brackets, the opening and the closing ones, that what they hold stands on lines of its own.
	spread []bool
	// broken tells of lexemes whose part of the text is too long for a line.
	broken []bool

	out    strings.Builder
	frames []frame // the brackets that are open
	depth  int     // how many of them are spread, which is how far lines stand in
	flat   int     // how many are open since the last that is spread
}

// frame is a bracket that is open, with the number of flat ones outside it.
type frame struct {
	isSpread bool
	flat     int
}

func newLayout(src *ast.Source, stmts []ast.Stmt, lexemes []parse.Lexeme, lower func(word string) bool) *layout {
	l := &layout{src: src, lexemes: lexemes, lower: lower, lines: lineStarts(stmts)}
	l.prev, l.next = l.findTokens()
	l.raw = l.findRaw(stmts)
	l.spread = l.findSpread()
	l.broken = l.findBroken()
	return l
}

func (l *layout) findTokens() (prev, next []int) {
	n := len(l.lexemes)
	prev, next = make([]int, n), make([]int, n)
	last := -1
	for i, x := range l.lexemes {
		if prev[i] = last; x.Kind != parse.LexComment {
			last = i
		}
	}
	last = n
	for i := n - 1; i >= 0; i-- {
		if next[i] = last; l.lexemes[i].Kind != parse.LexComment {
			last = i
		}
	}
	return prev, next
}

// lineStarts lists where items, columns and constraints begin.
func lineStarts(stmts []ast.Stmt) map[ast.Pos]bool {
	lines := map[ast.Pos]bool{}
	table := func(t *ast.CreateTableStmt) {
		for _, c := range t.Columns {
			lines[c.Pos()] = true
		}
		for _, c := range t.Constraints {
			lines[c.Pos()] = true
		}
	}
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.CreateTableStmt:
			table(s)
		case *ast.DeclareSchemaStmt:
			for _, item := range s.Items {
				lines[item.Pos()] = true
				if t, ok := item.(*ast.CreateTableStmt); ok {
					table(t)
				}
			}
			for _, item := range s.Skipped {
				lines[item.Pos()] = true
			}
		}
	}
	return lines
}

// findRaw finds what lies inside the arguments of types.
func (l *layout) findRaw(stmts []ast.Stmt) []bool {
	ends := map[ast.Pos]ast.Pos{} // of the types by where they begin
	for _, s := range stmts {
		ast.Walk(s, func(n ast.Node) bool {
			if t, ok := n.(*ast.TypeName); ok && len(t.Args) > 0 {
				ends[t.Pos()] = t.End()
			}
			return true
		})
	}
	raw := make([]bool, len(l.lexemes))
	end, depth := ast.Pos(0), 0
	for i, x := range l.lexemes {
		if e, ok := ends[x.From]; ok {
			end, depth = e, 0
		}
		if x.From >= end {
			continue
		}
		raw[i] = depth > 1 || depth == 1 && l.isInArgument(i)
		switch {
		case l.is(i, "("):
			depth++
		case l.is(i, ")"):
			depth--
		}
	}
	return raw
}

// isInArgument reports whether a lexeme between the brackets of a type is neither the first of an argument nor after one.
func (l *layout) isInArgument(i int) bool {
	token := i
	if l.lexemes[i].Kind == parse.LexComment {
		token = l.next[i]
	}
	return !l.is(l.prev[i], "(") && !l.is(l.prev[i], ",") && !l.is(token, ",") && !l.is(token, ")")
}

func (l *layout) text(x parse.Lexeme) string { return l.src.Text[x.From:x.To] }

// is reports whether the i-th lexeme is a keyword or symbol with this text.
func (l *layout) is(i int, text string) bool {
	if i < 0 || i >= len(l.lexemes) {
		return false
	}
	x := l.lexemes[i]
	return (x.Kind == parse.LexKeyword || x.Kind == parse.LexSymbol) && strings.EqualFold(l.text(x), text)
}

func (l *layout) isOpen(i int) bool  { return l.is(i, "(") || l.is(i, "{") }
func (l *layout) isClose(i int) bool { return l.is(i, ")") || l.is(i, "}") }

// findSpread finds the brackets that hold lines of their own directly.
func (l *layout) findSpread() []bool {
	spread := make([]bool, len(l.lexemes))
	var open []int
	for i, x := range l.lexemes {
		if len(open) > 0 && l.lines[x.From] {
			spread[open[len(open)-1]] = true
		}
		switch {
		case l.isOpen(i):
			open = append(open, i)
		case l.isClose(i) && len(open) > 0:
			spread[i] = spread[open[len(open)-1]]
			open = open[:len(open)-1]
		}
	}
	return spread
}

// findBroken measures the parts of the text, each from where a line must begin to the next such place, as if they were written on one
// line.
func (l *layout) findBroken() []bool {
	broken := make([]bool, len(l.lexemes))
	first, width, depth := 0, 0, 0
	end := func(i int) {
		for k := first; k < i && width > lineWidth; k++ {
			broken[k] = true
		}
		first, width = i, depth*len(indent)
	}
	for i, x := range l.lexemes {
		if l.isClose(i) && l.spread[i] {
			depth--
		}
		if l.startsItem(i) {
			end(i)
		}
		if x.Kind != parse.LexComment {
			width += utf8.RuneCountInString(l.text(x)) + len(l.between(i))
		}
		if l.isOpen(i) && l.spread[i] {
			depth++
			end(i + 1)
		}
	}
	end(len(l.lexemes))
	return broken
}

// startsItem reports whether a token begins a statement, an item, a column or constraint, or the end of a spread bracket.
func (l *layout) startsItem(i int) bool {
	x := l.lexemes[i]
	return x.Kind != parse.LexComment && (l.lines[x.From] || l.isClose(i) && l.spread[i] || l.isEnd(l.prev[i]))
}

// isEnd reports whether a token ends a statement. The place before the first token counts as one.
func (l *layout) isEnd(i int) bool { return i < 0 || l.is(i, ";") }

// write lays the text out.
func (l *layout) write() string {
	mustBreak := false
	for i := range l.lexemes {
		if l.isClose(i) {
			l.leave()
		}
		l.separate(i, mustBreak)
		mustBreak = l.writeLexeme(i)
		if l.isOpen(i) {
			l.enter(l.spread[i])
			mustBreak = mustBreak || l.spread[i] && i+1 < len(l.lexemes) && l.lexemes[i+1].Kind != parse.LexComment
		}
	}
	if l.out.Len() > 0 {
		l.out.WriteByte('\n')
	}
	return l.out.String()
}

func (l *layout) enter(isSpread bool) {
	l.frames = append(l.frames, frame{isSpread, l.flat})
	if isSpread {
		l.depth++
		l.flat = 0
	} else {
		l.flat++
	}
}

func (l *layout) leave() {
	top := l.frames[len(l.frames)-1]
	l.frames, l.flat = l.frames[:len(l.frames)-1], top.flat
	if top.isSpread {
		l.depth--
	}
}

// separate writes what stands between a lexeme and the one before it. mustBreak is set where that one ends its line.
func (l *layout) separate(i int, mustBreak bool) {
	isComment := l.lexemes[i].Kind == parse.LexComment
	startsItem := l.startsItem(i)
	if isComment { // it stands as what it is before
		startsItem = l.isEnd(l.prev[i]) || l.next[i] == len(l.lexemes) || l.startsItem(l.next[i])
	}
	switch {
	case i == 0:
	case l.raw[i]:
		l.out.WriteString(l.gap(i))
	case mustBreak, isComment && l.ownLine(i), !isComment && startsItem:
		l.newline(i, startsItem)
	case isComment && isLineComment(l.comment(i)):
		l.out.WriteString("  ")
	case l.flat == 0 && l.broken[i] && l.breaksBefore(i):
		l.newline(i, false)
	default:
		l.out.WriteString(l.between(i))
	}
}

// writeLexeme writes a token or comment, and reports whether a line must end after it.
func (l *layout) writeLexeme(i int) (mustBreak bool) {
	if l.lexemes[i].Kind != parse.LexComment {
		l.out.WriteString(l.word(l.lexemes[i]))
		return false
	}
	text := l.comment(i)
	l.out.WriteString(text)
	if l.raw[i] {
		return false
	}
	return isLineComment(text) || l.ownLine(i) || strings.Contains(text, "\n")
}

// newline begins a line, after an empty one where the text has one and something new begins. What goes on stands in further.
func (l *layout) newline(i int, isItem bool) {
	l.out.WriteByte('\n')
	if isItem && l.blankBefore(i) && !l.isOpen(i-1) && !l.isClose(i) {
		l.out.WriteByte('\n')
	}
	depth := l.depth
	if !isItem {
		depth++
	}
	l.out.WriteString(strings.Repeat(indent, depth))
}

// word is a lexeme as it is written.
func (l *layout) word(x parse.Lexeme) string {
	text := l.text(x)
	if lower := strings.ToLower(text); x.Kind == parse.LexKeyword && l.lower(lower) {
		return lower
	}
	return text
}

// comment is a comment without spaces at the ends of its lines.
func (l *layout) comment(i int) string {
	if l.raw[i] {
		return l.text(l.lexemes[i])
	}
	lines := strings.Split(strings.ReplaceAll(l.text(l.lexemes[i]), "\r\n", "\n"), "\n")
	for k := range lines {
		lines[k] = strings.TrimRight(lines[k], " \t\r")
	}
	return strings.Join(lines, "\n")
}

func isLineComment(text string) bool { return !strings.HasPrefix(text, "/*") }

// gap is the white space in front of a lexeme.
func (l *layout) gap(i int) string {
	from := ast.Pos(0)
	if i > 0 {
		from = l.lexemes[i-1].To
	}
	return l.src.Text[from:l.lexemes[i].From]
}

// ownLine reports whether a comment begins a line of the text.
func (l *layout) ownLine(i int) bool { return i == 0 || strings.ContainsAny(l.gap(i), "\r\n") }

// blankBefore reports whether an empty line stands before a lexeme.
func (l *layout) blankBefore(i int) bool {
	gap := strings.ReplaceAll(l.gap(i), "\r\n", "\n")
	return strings.Count(gap, "\n")+strings.Count(gap, "\r") > 1
}
