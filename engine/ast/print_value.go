package ast

import (
	"math"
	"strconv"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// AppendTags appends a tag list in its parentheses, `(k = 'v', "b c" = true)`. upper spells null, true and false as the session
// and explicit forms do.
func AppendTags(dst []byte, tags []Tag, upper bool) []byte {
	p := printer{buf: dst}
	p.tagList(tags, upper)
	return p.buf
}

// AppendValue appends a constant that stands outside an expression: a tag, an argument of a module, a cell of a seed. A number
// is the shortest decimal that reads back; upper spells null, true and false in upper case.
func AppendValue(dst []byte, x *Literal, upper bool) []byte {
	p := printer{buf: dst}
	p.value(x, upper)
	return p.buf
}

// LiteralOf makes the literal of a value that stands outside an expression: negative numbers keep their sign in Text, JSON is its
// compact text. An infinity, which no literal can say, becomes a number too large to read as anything else.
func LiteralOf(v types.Value) *Literal {
	switch v.Kind() {
	case types.KindBoolean:
		if v.Bool() {
			return &Literal{Kind: TrueLit}
		}
		return &Literal{Kind: FalseLit}
	case types.KindInteger:
		return &Literal{Kind: IntegerLit, Text: types.FormatInteger(v)}
	case types.KindReal:
		return realLiteral(v.Float())
	case types.KindText, types.KindJSON:
		return &Literal{Kind: TextLit, Text: types.ToText(v)}
	case types.KindBlob:
		return &Literal{Kind: BlobLit, Text: string(v.Bytes())}
	}
	return &Literal{Kind: NullLit}
}

func realLiteral(f float64) *Literal {
	text := types.FormatReal(f)
	switch {
	case math.IsInf(f, 0):
		text = strings.Replace(text, "Infinity", "1e999", 1)
	case f == math.Trunc(f) && !strings.ContainsRune(text, 'e'):
		return &Literal{Kind: IntegerLit, Text: text}
	}
	return &Literal{Kind: RealLit, Text: text}
}

func (p *printer) tagList(tags []Tag, upper bool) {
	p.str("(")
	for i, t := range tags {
		p.comma(i)
		p.name(t.Key)
		p.str(" = ")
		p.value(t.Value, upper)
	}
	p.str(")")
}

// withTags prints " with tags (…)" for tags that are there.
func (p *printer) withTags(tags []Tag) {
	if len(tags) > 0 && !p.NoTags {
		p.str(" with tags ")
		p.tagList(tags, false)
	}
}

// value prints a constant outside an expression.
func (p *printer) value(x *Literal, upper bool) {
	from := len(p.buf)
	switch x.Kind {
	case IntegerLit, RealLit:
		p.number(x)
	case NullLit, TrueLit, FalseLit:
		if p.literal(x); upper {
			for i := from; i < len(p.buf); i++ {
				p.buf[i] -= 'a' - 'A'
			}
		}
	default:
		p.literal(x)
	}
}

// number prints the shortest decimal that reads back as a number literal, whose text may have a sign. A number beyond a
// double's range stays as it is written.
func (p *printer) number(x *Literal) {
	digits := strings.TrimLeft(x.Text, "+-")
	from := len(p.buf)
	if strings.HasPrefix(x.Text, "-") {
		p.str("-")
	}
	if v, ok := types.ParseIntegerLiteral(digits); ok {
		p.buf = types.AppendInteger(p.buf, v)
	} else if f, err := strconv.ParseFloat(digits, 64); err == nil {
		p.buf = types.AppendReal(p.buf, f)
	} else {
		p.str(digits)
	}
	if string(p.buf[from:]) == "-0" {
		p.buf = append(p.buf[:from], '0')
	}
}

func (p *printer) option(key Name, x *Literal) {
	p.name(key)
	p.str(" = ")
	p.value(x, false)
}
