package types

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Code is a status code of the engine. Callers match on codes, never on message text (docs/reference/functions.md).
type Code uint8

// The status codes with their documented numbers.
const (
	OK          Code = 0
	ERROR       Code = 1
	INTERNAL    Code = 2
	PERM        Code = 3
	ABORT       Code = 4
	BUSY        Code = 5
	LOCKED      Code = 6
	NOMEM       Code = 7
	READONLY    Code = 8
	INTERRUPT   Code = 9
	IOERR       Code = 10
	CORRUPT     Code = 11
	NOTFOUND    Code = 12
	FULL        Code = 13
	CANTOPEN    Code = 14
	PROTOCOL    Code = 15
	EMPTY       Code = 16
	SCHEMA      Code = 17
	TOOBIG      Code = 18
	CONSTRAINT  Code = 19
	MISMATCH    Code = 20
	MISUSE      Code = 21
	NOLFS       Code = 22
	AUTH        Code = 23
	FORMAT      Code = 24
	RANGE       Code = 25
	NOTADB      Code = 26
	NOTICE      Code = 27
	WARNING     Code = 28
	SYNTAX      Code = 29
	UNSUPPORTED Code = 30
)

var codeNames = [...]string{
	OK: "OK", ERROR: "ERROR", INTERNAL: "INTERNAL", PERM: "PERM", ABORT: "ABORT", BUSY: "BUSY", LOCKED: "LOCKED",
	NOMEM: "NOMEM", READONLY: "READONLY", INTERRUPT: "INTERRUPT", IOERR: "IOERR", CORRUPT: "CORRUPT",
	NOTFOUND: "NOTFOUND", FULL: "FULL", CANTOPEN: "CANTOPEN", PROTOCOL: "PROTOCOL", EMPTY: "EMPTY", SCHEMA: "SCHEMA",
	TOOBIG: "TOOBIG", CONSTRAINT: "CONSTRAINT", MISMATCH: "MISMATCH", MISUSE: "MISUSE", NOLFS: "NOLFS", AUTH: "AUTH",
	FORMAT: "FORMAT", RANGE: "RANGE", NOTADB: "NOTADB", NOTICE: "NOTICE", WARNING: "WARNING", SYNTAX: "SYNTAX",
	UNSUPPORTED: "UNSUPPORTED",
}

func (c Code) String() string {
	if int(c) < len(codeNames) && codeNames[c] != "" {
		return codeNames[c]
	}
	return fmt.Sprintf("CODE(%d)", uint8(c))
}

// Error lets a bare Code stand as the target of errors.Is.
func (c Code) Error() string { return c.String() }

// Error is the one error value of the engine.
//
// Message names the object and says what is wrong; Hint, when not empty, says what to do. Line and Column are
// 1-based and 0 when unknown. errors.Is(err, types.CONSTRAINT) reports whether err carries that code.
type Error struct {
	Code    Code
	Message string
	Hint    string
	Line    int
	Column  int
	Cause   error
	// Related are other places of the same text that the error speaks of.
	Related []Place
}

// Place is a place of a text, 1-based, and what there is to it.
type Place struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	s := e.Message
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	if e.Line > 0 {
		s = fmt.Sprintf("%s (at line %d, column %d)", s, e.Line, e.Column)
	}
	return s
}

// Unwrap gives the cause, nil when there is none.
func (e *Error) Unwrap() error { return e.Cause }

// Is makes errors.Is(err, code) true for the error's own code.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// Errorf makes an error without a position.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Abridge cuts a text of the user's that is too long for a message: after some 200 bytes, with the length of the whole.
func Abridge(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:end], len(s))
}

// Wrapf makes an error around cause: the message is format's text followed by the cause's message; the code is the
// cause's when it has one, else code.
func Wrapf(code Code, cause error, format string, args ...any) *Error {
	var e *Error
	msg := fmt.Sprintf(format, args...)
	if errors.As(cause, &e) {
		return &Error{Code: e.Code, Message: msg + ": " + e.Message, Hint: e.Hint, Line: e.Line, Column: e.Column, Cause: cause, Related: e.Related}
	}
	return &Error{Code: code, Message: msg + ": " + cause.Error(), Cause: cause}
}

// Locate makes an error of err, with its code, message and hint, that has a line and column.
func Locate(err error, line, column int) *Error {
	e := &Error{Code: CodeOf(err), Message: err.Error(), Line: line, Column: column, Cause: err}
	if own := (*Error)(nil); errors.As(err, &own) {
		e.Message, e.Hint, e.Cause, e.Related = own.Message, own.Hint, own.Cause, own.Related
	}
	return e
}

// CodeOf gives the code an error carries: OK for nil, ERROR for an error that is none of ours.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	var c Code
	if errors.As(err, &c) {
		return c
	}
	return ERROR
}
