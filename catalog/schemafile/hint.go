package schemafile

import (
	"path"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// WithHint gives the text of an SQL file in which a declared table or column has a former name; everything else in it stays as it is,
// comments and layout included. item is the *ast.CreateTableStmt or *ast.ColumnDef of the file. UNSUPPORTED for what must be written by hand.
func WithHint(src *ast.Source, item ast.Node, from string) (string, error) {
	switch strings.ToLower(path.Ext(src.Name)) {
	case ".yaml", ".yml":
		return "", types.Errorf(types.UNSUPPORTED, "%s: hints are written into SQL files; write this one by hand", src.Name)
	}
	tags, has, end := tagsOf(item)
	text := ""
	switch at, insert := hintAt(tags, has, end, from); {
	case item.Pos() == ast.NoPos || int(end) > len(src.Text) || insert == "":
	default:
		text = src.Text[:at] + insert + src.Text[at:]
	}
	if text == "" || !hasHint(text, item, from) {
		line, _ := src.Position(item.Pos())
		return "", types.Errorf(types.UNSUPPORTED, "%s:%d: the hint cannot be put there; write it by hand", src.Name, line)
	}
	return text, nil
}

// tagsOf gives the tags of an item, and where it ends.
func tagsOf(item ast.Node) (tags []ast.Tag, has bool, end ast.Pos) {
	switch n := item.(type) {
	case *ast.CreateTableStmt:
		return n.Tags, n.HasTags, n.End()
	case *ast.ColumnDef:
		return n.Tags, n.HasTags, n.End()
	}
	return nil, false, ast.NoPos
}

// hintAt says what is to be inserted, and where; "" when there is no place.
func hintAt(tags []ast.Tag, has bool, end ast.Pos, from string) (at ast.Pos, insert string) {
	name := string(ast.AppendString(nil, from))
	if !has {
		return end, ` with tags ("` + catalog.TagPreviousName + `" = ` + name + `)`
	}
	if len(tags) == 0 {
		return 0, ""
	}
	for _, t := range tags {
		if types.EqualFold(t.Key.Text, catalog.TagPreviousName) {
			return t.Value.End() - 1, ", " + name[1:len(name)-1]
		}
	}
	return tags[len(tags)-1].Value.End(), `, "` + catalog.TagPreviousName + `" = ` + name
}

// hasHint reports whether the text declares the item with the former name, and reads as before otherwise.
func hasHint(text string, item ast.Node, from string) bool {
	stmts, err := parse.Stmts(ast.NewSource("", text))
	if err != nil {
		return false
	}
	found := false
	look := func(n ast.Node) bool {
		if n.Pos() == item.Pos() && sameKind(n, item) {
			tags, _, _ := tagsOf(n)
			for _, t := range tags {
				found = found || types.EqualFold(t.Key.Text, catalog.TagPreviousName) && namesHint(t.Value, from)
			}
		}
		return !found
	}
	for _, s := range stmts {
		ast.Walk(s, look)
		if d, ok := s.(*ast.DeclareSchemaStmt); ok {
			for _, i := range d.Items {
				ast.Walk(i, look)
			}
		}
	}
	return found
}

func sameKind(a, b ast.Node) bool {
	_, x := a.(*ast.ColumnDef)
	_, y := b.(*ast.ColumnDef)
	_, v := a.(*ast.CreateTableStmt)
	_, w := b.(*ast.CreateTableStmt)
	return x && y || v && w
}

func namesHint(value *ast.Literal, from string) bool {
	for name := range strings.SplitSeq(types.ToText(catalog.LiteralValue(value)), ",") {
		if types.EqualFold(strings.TrimSpace(name), from) {
			return true
		}
	}
	return false
}
