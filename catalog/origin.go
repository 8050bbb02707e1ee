package catalog

import (
	"errors"
	"fmt"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Origin says where the nodes of a definition were read from.
type Origin struct {
	// Source is the file; one without a name is a text that the reader of a message does not have before him.
	Source *ast.Source
	// Map turns the offset of a node into one of Source, for definitions that were put together from pieces of it; nil when the
	// offsets are Source's own.
	Map func(ast.Pos) ast.Pos
}

func (o Origin) position(p ast.Pos) (line, column int) {
	if o.Map != nil && p != ast.NoPos {
		p = o.Map(p)
	}
	return o.Source.Position(p)
}

// isNamed reports whether a message can point into the source.
func (o Origin) isNamed() bool { return o.Source != nil && o.Source.Name != "" }

// At gives the place of a node as file:line:column, "" when a message cannot point to it.
func (o Origin) At(n ast.Node) string {
	if line, column := o.position(n.Pos()); o.isNamed() && line > 0 {
		return fmt.Sprintf("%s:%d:%d", o.Source.Name, line, column)
	}
	return ""
}

// Fault gives err the place of a node, or of the part of it that err is about: a *SourceError where a message can point to it, else
// err as it is.
func (o Origin) Fault(n ast.Node, err error) error {
	if part := FaultyPos(err); part != ast.NoPos {
		return o.faultAt(part, err)
	}
	return o.FaultAt(n, err)
}

// FaultAt is Fault for an error whose parts lie in another text: it gets the place of the node itself.
func (o Origin) FaultAt(n ast.Node, err error) error { return o.faultAt(n.Pos(), err) }

func (o Origin) faultAt(p ast.Pos, err error) error {
	if err == nil || !o.isNamed() {
		return err
	}
	line, column := o.position(p)
	return &SourceError{Source: o.Source, Err: types.Locate(err, line, column)}
}

// FaultBeside is Fault for an error about a node and an earlier one, which stands elsewhere.
func (o Origin) FaultBeside(n ast.Node, err error, first Origin, earlier ast.Node, message string) error {
	err = o.Fault(n, err)
	if e, ok := err.(*SourceError); ok && first.At(earlier) != "" {
		line, column := first.position(earlier.Pos())
		e.Related = append(e.Related, SourcePlace{first.Source, types.Place{Line: line, Column: column, Message: message}})
	}
	return err
}

// Note gives a remark the place of a node.
func (o Origin) Note(n ast.Node, message string) *SourceError {
	line, column := o.position(n.Pos())
	return &SourceError{Source: o.Source, Err: &types.Error{Code: types.NOTICE, Message: message, Line: line, Column: column}}
}

// posError is an error with the place in a definition that it is about.
type posError struct {
	error
	pos ast.Pos
}

func (e *posError) Unwrap() error { return e.error }

// About notes the place in a definition that an error is about, for FaultyPos. A nil error stays nil, and a place that is not known
// is not noted.
func About(p ast.Pos, err error) error {
	if err == nil || p == ast.NoPos {
		return err
	}
	return &posError{err, p}
}

func about(n ast.Node, err error) error { return About(n.Pos(), err) }

// FaultyPos gives the place in a definition that an error of making it is about, the innermost that was noted; NoPos when none was.
func FaultyPos(err error) ast.Pos {
	p := ast.NoPos
	for e := (*posError)(nil); errors.As(err, &e); err = e.error {
		p = e.pos
	}
	return p
}

// SourceError is a fault in a file. Err has line and column, 0 when the fault is the file's as a whole; Source serves to show the
// line. It unwraps to Err.
type SourceError struct {
	Source *ast.Source
	Err    *types.Error
	// Related are places in files that the fault speaks of, beside those of Err, which are in Source.
	Related []SourcePlace
}

// SourcePlace is a place in a file.
type SourcePlace struct {
	Source *ast.Source
	types.Place
}

func (e *SourceError) Error() string {
	if e.Err.Line == 0 {
		return e.Source.Name + ": " + e.Err.Error()
	}
	plain := *e.Err
	plain.Line, plain.Column = 0, 0
	return fmt.Sprintf("%s:%d:%d: %s", e.Source.Name, e.Err.Line, e.Err.Column, plain.Error())
}

func (e *SourceError) Unwrap() error { return e.Err }

// Position gives the 1-based line and column in Source of a place in the text that the definition was read from; 0, 0 where that is
// not known.
func (o Origin) Position(p ast.Pos) (line, column int) { return o.position(p) }
