package schemafile

import (
	"sort"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
)

// sqlText is a statement put together from pieces of a YAML file, so that the grammar of definitions has one home, the parser. It
// knows where each piece came from and leads faults and nodes back there.
type sqlText struct {
	file   *yamlFile
	buf    strings.Builder
	pieces []piece
}

// piece is a stretch of the statement, from an offset on. A verbatim one is the content of a scalar.
type piece struct {
	from     int
	node     *yaml.Node
	verbatim bool
}

// add appends words that stand for a node.
func (t *sqlText) add(n *yaml.Node, words ...string) *sqlText {
	t.pieces = append(t.pieces, piece{from: t.buf.Len(), node: n})
	for _, w := range words {
		t.buf.WriteString(w)
	}
	return t
}

// name appends a name.
func (t *sqlText) name(n *yaml.Node) *sqlText {
	t.pieces = append(t.pieces, piece{t.buf.Len(), n, false})
	t.buf.WriteString(ast.FormatName(n.Value))
	return t
}

// fragment appends the SQL that a scalar holds. The line feed ends a comment in it.
func (t *sqlText) fragment(n *yaml.Node) *sqlText {
	t.pieces = append(t.pieces, piece{t.buf.Len(), n, true})
	t.buf.WriteString(n.Value)
	t.buf.WriteByte('\n')
	return t
}

// parse parses the statement. A fault points into the YAML file.
func (t *sqlText) parse() (ast.Stmt, error) {
	text := t.buf.String()
	src := ast.NewSource("", text)
	parts, faults := parse.File(src)
	if len(faults) > 0 {
		moved := *faults[0]
		moved.Line, moved.Column = t.file.src.Position(t.toFile(src.Offset(moved.Line, moved.Column)))
		moved.Related = nil // they stand in the text that was put together
		return nil, parseFault(t.file.src, &moved)
	}
	if len(parts) != 1 {
		return nil, t.file.fault(t.pieces[0].node, "its SQL holds a semicolon")
	}
	for _, n := range parts[0].Notes {
		origin := catalog.Origin{Source: t.file.src, Map: t.toFile}
		t.file.declared.Notes = append(t.file.declared.Notes, origin.Note(n, n.Message))
	}
	return parts[0].Stmt, nil
}

// toFile turns an offset in the statement into one in the file.
func (t *sqlText) toFile(p ast.Pos) ast.Pos {
	i := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].from > int(p) }) - 1
	if p < 0 || i < 0 {
		return ast.NoPos
	}
	start := t.file.offset(t.pieces[i].node)
	if !t.pieces[i].verbatim {
		return start
	}
	return ast.Pos(align(t.file.src.Text, int(start), t.pieces[i].node, int(p)-t.pieces[i].from))
}

// align finds where byte n of a scalar's content stands in the text of the file, in which the scalar begins at start with its quotes,
// its block indicator and the indentation of its lines. White space is folded on the way, so it is matched loosely; where an escape
// sequence stands for a character the result is near it.
func align(text string, start int, scalar *yaml.Node, n int) int {
	raw := start
	if scalar.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		if i := strings.IndexAny(text[raw:], "\r\n"); i >= 0 {
			raw += i
		}
	}
	last := raw
	for i := 0; i <= n && i < len(scalar.Value); i++ {
		c := scalar.Value[i]
		if c == ' ' || c == '\n' {
			continue
		}
		found := strings.IndexByte(text[raw:], c)
		if found < 0 {
			return last
		}
		last = raw + found
		raw = last + 1
	}
	return last
}
