package types

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold maps s to the form under which names and NOCASE texts are identified: every code point in lower case by the
// full, locale-free Unicode mapping (docs/reference/types.md). The final sigma folds to the ordinary one, so that identity does
// not depend on a letter's place in its word; U+0130 folds to two code points. Ill-formed bytes fold to U+FFFD.
//
// Fold(Fold(s)) = Fold(s) and Fold(s+t) = Fold(s)+Fold(t). A folded s is returned as it is, without allocation.
func Fold(s string) string {
	i := foldedPrefix(s)
	if i == len(s) {
		return s
	}
	return string(appendFold(append(make([]byte, 0, len(s)+4), s[:i]...), s[i:]))
}

// foldedPrefix gives the length of the longest prefix of s that Fold leaves alone.
func foldedPrefix(s string) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if isUpperASCII(c) {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if f, more := foldRune(r); f != r || more != 0 || r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}

// appendFold appends Fold(s) to dst.
func appendFold(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			dst = append(dst, lowerASCII(c))
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		f, more := foldRune(r)
		dst = utf8.AppendRune(dst, f)
		if more != 0 {
			dst = utf8.AppendRune(dst, more)
		}
		i += n
	}
	return dst
}

// EqualFold reports whether a and b fold to the same text, without allocation.
func EqualFold(a, b string) bool {
	if len(a) == len(b) {
		if i := commonFoldASCII(a, b); i == len(a) {
			return true
		} else if a[i] < utf8.RuneSelf && b[i] < utf8.RuneSelf {
			return false
		}
	}
	return compareFold(a, b) == 0
}

// compareFold orders a and b as their folded forms, without building them.
func compareFold(a, b string) int {
	i := commonFoldASCII(a, b)
	a, b = a[i:], b[i:]
	if a != "" && b != "" && a[0] < utf8.RuneSelf && b[0] < utf8.RuneSelf {
		return int(lowerASCII(a[0])) - int(lowerASCII(b[0]))
	}
	x, y := foldReader{rest: a}, foldReader{rest: b}
	for {
		r, s := x.next(), y.next()
		if r != s {
			return int(r) - int(s)
		}
		if r == endOfText {
			return 0
		}
	}
}

// commonFoldASCII gives the length of the longest common prefix of a and b that is ASCII and equal but for case.
func commonFoldASCII(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		c, d := a[i], b[i]
		if c|d >= utf8.RuneSelf || c != d && lowerASCII(c) != lowerASCII(d) {
			return i
		}
	}
	return n
}

// endOfText sorts before every code point.
const endOfText rune = -1

// foldReader yields the code points of a folded text one by one.
type foldReader struct {
	rest    string
	pending rune // the second half of a code point that folds to two; 0 when there is none
}

func (f *foldReader) next() rune {
	if r := f.pending; r != 0 {
		f.pending = 0
		return r
	}
	if f.rest == "" {
		return endOfText
	}
	r, n := utf8.DecodeRuneInString(f.rest)
	f.rest = f.rest[n:]
	r, f.pending = foldRune(r)
	return r
}

// foldRune folds one code point; more is the second code point of the result, 0 when there is none. U+0130 is the one
// unconditional entry of Unicode's SpecialCasing table for lower case; everything else maps one to one.
func foldRune(r rune) (f, more rune) {
	const (
		capitalIWithDot   = 'İ'
		combiningDotAbove = '\u0307'
		finalSigma        = 'ς'
	)
	switch r {
	case capitalIWithDot:
		return 'i', combiningDotAbove
	case finalSigma:
		return 'σ', 0
	}
	return unicode.ToLower(r), 0
}

func isUpperASCII(c byte) bool { return 'A' <= c && c <= 'Z' }

func lowerASCII(c byte) byte {
	if isUpperASCII(c) {
		c += 'a' - 'A'
	}
	return c
}

// trimTrailingSpaces drops trailing U+0020 only: what RTRIM ignores.
func trimTrailingSpaces(s string) string { return strings.TrimRight(s, " ") }
