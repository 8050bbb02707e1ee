package ast

import (
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// reservedWords are the words that print in quotes when they serve as a name (docs/reference/declarative-schema.md): the reserved ones, and
// those that the grammar admits bare in some places only.
var reservedWords = wordSet(`
	abort action add all alter always analyze and apply as asc assertion autoincrement begin between by cascade case cast
	check collate commit conflict constraint create cross current declare default deferrable deferred delete desc diff
	distinct drop else end except exists explain fail false following foreign from full generated group having if ignore
	immediate in index initially inner insert intersect into is join key lateral left like limit natural no not null offset
	on or order outer over partition pragma preceding primary range recursive references release rename replace restrict
	returning right rollback row rows savepoint select set stored table temp temporary then to transaction true unbounded
	union unique update using values view virtual when where with xor`)

// callableWords are the reserved words that may name a function in a call without quotes.
var callableWords = wordSet("key action set default check unique references on cascade restrict like replace")

// maxReserved is the length of the longest reserved word.
const maxReserved = len("autoincrement")

func wordSet(words string) map[string]struct{} {
	set := make(map[string]struct{})
	for _, w := range strings.Fields(words) {
		set[w] = struct{}{}
	}
	return set
}

// IsReserved reports whether the word, in any case, is printed in quotes where it serves as a name.
func IsReserved(word string) bool { return hasWord(reservedWords, word) }

func hasWord(set map[string]struct{}, word string) bool {
	if len(word) > maxReserved {
		return false
	}
	var lower [maxReserved]byte
	for i := range len(word) {
		lower[i] = lowerASCII(word[i])
	}
	_, ok := set[string(lower[:len(word)])]
	return ok
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// isBareName reports whether the text has the form of an unquoted name; it may still be a reserved word.
func isBareName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= lowerASCII(c) && lowerASCII(c) <= 'z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// FormatName gives a name as SQL: bare when its form allows and it is no reserved word, else in double quotes. The
// spelling is kept.
func FormatName(name string) string {
	if isBareName(name) && !IsReserved(name) {
		return name
	}
	return string(AppendQuoted(nil, name))
}

// AppendName appends FormatName(name) to dst.
func AppendName(dst []byte, name string) []byte {
	if isBareName(name) && !IsReserved(name) {
		return append(dst, name...)
	}
	return AppendQuoted(dst, name)
}

// AppendQuoted appends a name in double quotes, whatever it is: the spelling of the session and explicit forms.
func AppendQuoted(dst []byte, name string) []byte { return appendDelimited(dst, name, '"') }

// AppendString appends a text as a string literal.
func AppendString(dst []byte, text string) []byte { return appendDelimited(dst, text, '\'') }

// appendDelimited appends s between two delimiters, doubling those inside.
func appendDelimited(dst []byte, s string, delimiter byte) []byte {
	dst = append(dst, delimiter)
	for {
		i := strings.IndexByte(s, delimiter)
		if i < 0 {
			break
		}
		dst = append(dst, s[:i+1]...)
		dst = append(dst, delimiter)
		s = s[i+1:]
	}
	dst = append(dst, s...)
	return append(dst, delimiter)
}

func appendFunctionName(dst []byte, name string) []byte {
	name = types.Fold(name)
	if isBareName(name) && hasWord(callableWords, name) {
		return append(dst, name...)
	}
	return AppendName(dst, name)
}
