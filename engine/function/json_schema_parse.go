package function

import (
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// compileSchema compiles a schema (docs/reference/functions.md), nil when it is malformed.
//
//	type    = postfix { "|" postfix }
//	postfix = primary { "[" "]" }
//	primary = word | literal | object | tuple | "(" type ")"
//	object  = "{" [ member { ( "," | ";" | newline ) member } ] "}"
//	member  = key [ "?" ] ":" type
//	tuple   = "[" [ type { "," type } ] "]"
func compileSchema(text string) shape {
	p := schemaParser{text: text, rest: text}
	s := p.union()
	p.space()
	if p.failed || p.rest != "" {
		return nil
	}
	return s
}

// maxSchemaDepth bounds how deep a schema nests, and with it the parser's stack.
const maxSchemaDepth = 1000

// schemaParser reads a schema from left to right. After a failure it consumes nothing more and its results mean nothing.
type schemaParser struct {
	text, rest string
	depth      int
	failed     bool
}

func (p *schemaParser) fail() shape {
	p.failed, p.rest = true, ""
	return anything
}

const schemaSpace = " \t\r\n"

func (p *schemaParser) space() { p.rest = strings.TrimLeft(p.rest, schemaSpace) }

// isLineStart reports whether a line ended in the white space before what comes next.
func (p *schemaParser) isLineStart() bool {
	before := p.text[:len(p.text)-len(p.rest)]
	return strings.Contains(before[len(strings.TrimRight(before, schemaSpace)):], "\n")
}

// take consumes a mark, white space before it included, if it comes next.
func (p *schemaParser) take(mark string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.rest, mark)
	if ok {
		p.rest = rest
	}
	return ok
}

// need consumes a mark that must come next.
func (p *schemaParser) need(mark string) {
	if !p.take(mark) {
		p.fail()
	}
}

func (p *schemaParser) union() shape {
	if p.depth++; p.depth > maxSchemaDepth {
		return p.fail()
	}
	alternatives := []shape{p.postfix()}
	for p.take("|") {
		alternatives = append(alternatives, p.postfix())
	}
	p.depth--
	return unionOf(alternatives)
}

func (p *schemaParser) postfix() shape {
	s := p.primary()
	for p.take("[") {
		p.need("]")
		s = arrayOf(s)
	}
	return s
}

func (p *schemaParser) primary() shape {
	switch {
	case p.take("("):
		s := p.union()
		p.need(")")
		return s
	case p.take("{"):
		return p.object()
	case p.take("["):
		return p.tuple()
	}
	if word := p.word(); word != "" {
		if s, ok := namedShapes[word]; ok {
			return s
		}
		return p.fail()
	}
	if s, ok := p.quoted(); ok {
		return equals(types.Text(s))
	}
	return p.number()
}

func (p *schemaParser) object() shape {
	var members []memberShape
	for !p.take("}") {
		m := memberShape{}
		var isQuoted bool
		if m.key, isQuoted = p.quoted(); !isQuoted {
			m.key = p.word()
		}
		if m.key == "" && !isQuoted || p.failed {
			return p.fail()
		}
		m.optional = p.take("?")
		p.need(":")
		m.shape = p.union()
		members = append(members, m)
		if !p.memberEnd() {
			return p.fail()
		}
	}
	return objectOf(members)
}

// memberEnd consumes what stands between two members: a comma, a semicolon or the end of a line. ok is false when nothing does,
// and when no member follows a mark; the end of the object needs none.
func (p *schemaParser) memberEnd() (ok bool) {
	marked := p.take(",") || p.take(";")
	p.space()
	if strings.HasPrefix(p.rest, "}") {
		return !marked
	}
	return marked || p.isLineStart()
}

func (p *schemaParser) tuple() shape {
	var elems []shape
	for !p.take("]") {
		if elems != nil {
			p.need(",")
		}
		if elems = append(elems, p.union()); p.failed {
			return anything
		}
	}
	return tupleOf(elems)
}

// word consumes an identifier, "" when none comes next.
func (p *schemaParser) word() string {
	p.space()
	end := 0
	for end < len(p.rest) && isWordByte(p.rest[end], end == 0) {
		end++
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word
}

func isWordByte(c byte, first bool) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80 || !first && '0' <= c && c <= '9'
}

// quoted consumes a string in any of the three quotes, in which nothing escapes.
func (p *schemaParser) quoted() (s string, ok bool) {
	p.space()
	if p.rest == "" || strings.IndexByte("'\"`", p.rest[0]) < 0 {
		return "", false
	}
	s, rest, closed := strings.Cut(p.rest[1:], p.rest[:1])
	if !closed {
		p.fail()
		return "", true
	}
	p.rest = rest
	return s, true
}

// number consumes a numeric literal.
func (p *schemaParser) number() shape {
	p.space()
	end := strings.IndexFunc(p.rest, func(r rune) bool { return !strings.ContainsRune("+-.0123456789eE", r) })
	if end < 0 {
		end = len(p.rest)
	}
	v, ok := types.ParseWholeNumber(p.rest[:end])
	if !ok {
		return p.fail()
	}
	p.rest = p.rest[end:]
	return equals(v)
}
