package ast

import (
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

var frameUnitText = [...]string{FrameRows: "rows ", FrameRange: "range ", FrameGroups: "groups "}

var boundText = [...]string{
	UnboundedPreceding: "unbounded preceding", Preceding: " preceding", CurrentRow: "current row", Following: " following",
	UnboundedFollowing: "unbounded following",
}

var excludeText = [...]string{
	ExcludeNone: "", ExcludeNoOthers: " exclude no others", ExcludeCurrentRow: " exclude current row",
	ExcludeGroup: " exclude group", ExcludeTies: " exclude ties",
}

var nullsText = [...]string{NullsUnsaid: "", RespectNulls: " respect nulls", IgnoreNulls: " ignore nulls"}

// window prints what follows OVER, or a definition of the WINDOW clause.
func (p *printer) window(w *Window) {
	if w.Bare {
		p.name(w.Base)
		return
	}
	p.str("(")
	from := len(p.buf)
	switch {
	case types.EqualFold(w.Base.Text, "groups"): // bare it would begin a frame
		p.buf = AppendQuoted(p.buf, p.fold(w.Base.Text))
	case !w.Base.IsZero():
		p.name(w.Base)
	}
	if len(w.PartitionBy) > 0 {
		p.space(from)
		p.str("partition by ")
		p.exprs(w.PartitionBy)
	}
	if len(w.OrderBy) > 0 {
		p.space(from)
		p.orderTerms(w.OrderBy)
	}
	if w.Frame != nil {
		p.space(from)
		p.frame(w.Frame)
	}
	p.str(")")
}

// space separates what comes from what was printed since from.
func (p *printer) space(from int) {
	if len(p.buf) > from {
		p.str(" ")
	}
}

func (p *printer) frame(f *Frame) {
	p.str(frameUnitText[f.Unit])
	if f.Last == nil {
		p.soleBound(f)
	} else {
		p.str("between ")
		p.bound(&f.Start)
		p.str(" and ")
		p.bound(f.Last)
	}
	p.str(excludeText[f.Exclude])
}

// soleBound prints the start of a frame whose end is not written. Behind GROUPS, an offset that begins with the name exclude needs
// parentheses: the word reads as the clause there.
func (p *printer) soleBound(f *Frame) {
	const word = "exclude"
	from := len(p.buf)
	p.bound(&f.Start)
	text := string(p.buf[from:])
	if f.Unit == FrameGroups && len(text) > len(word) && strings.EqualFold(text[:len(word)], word) {
		p.buf = p.buf[:from]
		p.paren(f.Start.Offset)
		p.str(boundText[f.Start.Kind])
	}
}

func (p *printer) bound(b *FrameBound) {
	if b.Kind == Preceding || b.Kind == Following {
		p.operand(b.Offset, LevelBits)
	}
	p.str(boundText[b.Kind])
}

// orderBy prints " order by …" when there are keys.
func (p *printer) orderBy(keys []OrderTerm) {
	if len(keys) > 0 {
		p.str(" ")
		p.orderTerms(keys)
	}
}

func (p *printer) orderTerms(keys []OrderTerm) {
	p.str("order by ")
	for i, k := range keys {
		p.comma(i)
		p.expr(k.X)
		if k.Desc {
			p.str(" desc")
		}
		switch k.Nulls {
		case NullsFirst:
			p.str(" nulls first")
		case NullsLast:
			p.str(" nulls last")
		}
	}
}
