// Package ast is the syntax tree of the dialect: nodes, positions, Walk, and the printer that is the only place which
// turns a tree into SQL.
//
// A tree is immutable once it is parsed or built; whoever changes one copies the path he changes (see Rewrite). Nodes know
// where they stand in their source as byte offsets; Source turns an offset into line and column. The package knows
// neither catalogs nor types: names are as written, literals keep their spelling.
package ast

// Pos is a byte offset into the source text, 0-based; NoPos for nodes that were built and not parsed.
type Pos int32

// NoPos is the position of a node that has none.
const NoPos Pos = -1

// Span is the stretch of source [From, To) that a node was read from. The zero Span is NoSpan's equal for built nodes:
// From == To means "no position".
type Span struct{ From, To Pos }

// Pos gives the first byte of the node, NoPos for a built node.
func (s Span) Pos() Pos {
	if s.From == s.To {
		return NoPos
	}
	return s.From
}

// End gives the offset behind the last byte of the node.
func (s Span) End() Pos { return s.To }

// Extent gives the span itself, so that code holding a Node can copy it.
func (s Span) Extent() Span { return s }

// Node is any part of a tree.
type Node interface {
	Pos() Pos
	End() Pos
	Extent() Span
}

// Stmt is a whole statement.
type Stmt interface {
	Node
	stmt()
}

// Expr is a scalar expression (or, where the grammar allows one, a row value).
type Expr interface {
	Node
	expr()
}

// QueryTerm is an operand of a set operation: a select core, VALUES, a parenthesised query, a set operation, or a data
// change with RETURNING.
type QueryTerm interface {
	Node
	queryTerm()
}

// TableExpr is a source in FROM.
type TableExpr interface {
	Node
	tableExpr()
}

// Name is an identifier as written, without its quotes. Quoted tells `"current_date"` from current_date; it never
// matters for equality of names, which is types.Fold's.
type Name struct {
	Span
	Text   string
	Quoted bool
}

// Ident makes an unquoted, unpositioned name.
func Ident(text string) Name { return Name{Text: text} }

// IsZero reports whether the name is absent.
func (n Name) IsZero() bool { return n.Text == "" }

// QName is a name with an optional schema.
type QName struct {
	Schema Name // zero when not written
	Name   Name
}

// Pos is the position of the first part.
func (q QName) Pos() Pos {
	if !q.Schema.IsZero() {
		return q.Schema.Pos()
	}
	return q.Name.Pos()
}
