package types

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Upper maps s to upper case by the full, locale-free Unicode mapping, special casing included: "ß" becomes "SS". A text that
// the mapping leaves alone is returned as it is.
func Upper(s string) string {
	if i := asciiPrefix(s, lowerASCIILetter); i < len(s) {
		if isASCII(s) {
			return mapASCII(s, i, lowerASCIILetter)
		}
		return mapCase(&upperCasers, s)
	}
	return s
}

// Lower maps s to lower case likewise, which unlike Fold heeds the place of a sigma in its word.
func Lower(s string) string {
	if i := asciiPrefix(s, isUpperASCII); i < len(s) {
		if isASCII(s) {
			return mapASCII(s, i, isUpperASCII)
		}
		return mapCase(&lowerCasers, s)
	}
	return s
}

// A Caser may keep state between calls, so each goroutine takes one of its own.
var (
	upperCasers = sync.Pool{New: func() any { c := cases.Upper(language.Und); return &c }}
	lowerCasers = sync.Pool{New: func() any { c := cases.Lower(language.Und); return &c }}
)

func mapCase(pool *sync.Pool, s string) string {
	c := pool.Get().(*cases.Caser)
	defer pool.Put(c)
	return c.String(s)
}

func lowerASCIILetter(c byte) bool { return 'a' <= c && c <= 'z' }

// asciiPrefix gives the length of the longest prefix of s that is ASCII without letters of the kind that changes.
func asciiPrefix(s string, changes func(byte) bool) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || changes(s[i]) {
			return i
		}
	}
	return len(s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// mapASCII turns the case of the letters that change in an ASCII text, from position i on.
func mapASCII(s string, i int, changes func(byte) bool) string {
	b := []byte(s)
	for ; i < len(b); i++ {
		if changes(b[i]) {
			b[i] ^= 'a' - 'A'
		}
	}
	return string(b)
}
