package ast

import (
	"strconv"

	"github.com/quereus/quereus-migrate/types"
)

// ItemName gives the name of the result column that an item of a select list makes (docs/reference/language.md): its alias, else the column
// part of a plain reference as written, else its canonical text. It is "" for a star. Names that occur twice are told apart
// by UniqueNames.
func ItemName(it *SelectItem) string {
	if c, ok := it.X.(*ColumnRef); ok && it.Alias.IsZero() {
		return c.Column.Text
	}
	return ReturningName(it)
}

// ReturningName gives the name of the column that an item of RETURNING makes: as ItemName, but a plain reference keeps its
// qualifier (`returning old.n` makes "old.n").
func ReturningName(it *SelectItem) string {
	switch c, ok := it.X.(*ColumnRef); {
	case !it.Alias.IsZero():
		return it.Alias.Text
	case it.Star:
		return ""
	case ok:
		return dotted(c.Schema, c.Table, c.Column)
	}
	p := printer{naming: true}
	p.expr(it.X)
	return string(p.buf)
}

func dotted(names ...Name) string {
	var text []byte
	for _, n := range names {
		if !n.IsZero() {
			text = append(append(text, n.Text...), '.')
		}
	}
	return string(text[:len(text)-1])
}

// UniqueNames tells the names of result columns apart: from left to right, a name that is taken, in any
// case, gets :1, :2, … behind it, and is numbered again if that is taken too. It changes the slice it is given.
func UniqueNames(names []string) {
	taken := make(map[string]bool, len(names))
	given := make(map[string]int) // the last number given, by base name
	for i, base := range names {
		folded := types.Fold(base)
		for key := folded; taken[key]; key = types.Fold(names[i]) {
			given[folded]++
			names[i] = base + ":" + strconv.Itoa(given[folded])
		}
		taken[types.Fold(names[i])] = true
	}
}
