package main

import (
	"cmp"
	"strings"
)

// isOlder reports whether version a stands before b. Versions are compared piece by piece: numbers by their value, other pieces as
// text; what only goes on, as 1.2 does after 1, is newer, but for a pre-release as in 2.0-rc1. An absent version is not comparable.
func isOlder(a, b string) bool {
	return a != "" && b != "" && compareVersions(strings.TrimPrefix(a, "v"), strings.TrimPrefix(b, "v")) < 0
}

func compareVersions(a, b string) int {
	for a != "" && b != "" {
		var x, y string
		x, a = cutPiece(a)
		y, b = cutPiece(b)
		if c := comparePieces(x, y); c != 0 {
			return c
		}
	}
	switch isPre := func(rest string) bool { return strings.HasPrefix(rest, "-") }; {
	case isPre(a):
		return -1
	case isPre(b):
		return 1
	}
	return cmp.Compare(len(a), len(b))
}

// cutPiece cuts off the digits or the other characters that a version begins with.
func cutPiece(v string) (piece, rest string) {
	n := 1
	for n < len(v) && isDigit(v[n]) == isDigit(v[0]) {
		n++
	}
	return v[:n], v[n:]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func comparePieces(a, b string) int {
	if !isDigit(a[0]) || !isDigit(b[0]) {
		return strings.Compare(a, b)
	}
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}
