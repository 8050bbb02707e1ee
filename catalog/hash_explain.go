package catalog

import (
	"encoding/base64"
	"encoding/binary"
	"unicode/utf16"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// ExplainHash gives the documented hash of the items of a declaration (docs/reference/declarative-schema.md), as EXPLAIN SCHEMA shows it:
// over their create statements in declared form, unqualified and without tags, one a line. Seeds take no part. It is no identity of a
// schema, which is Hash.
func ExplainHash(items []ast.DeclareItem) string {
	var text []byte
	for _, item := range items {
		stmt, ok := item.(ast.Stmt)
		if !ok {
			continue
		}
		if len(text) > 0 {
			text = append(text, '\n')
		}
		text = ast.Append(text, stmt, ast.Options{NoTags: true})
	}
	return explainDigest(string(text))
}

// explainDigest is 64-bit FNV-1a over the UTF-16 code units of a text, low byte first and a high byte of zero left out, with one
// deviation that other implementations of the dialect share and that therefore stays: after the multiplication 435 is taken off
// the upper half if bit 31 was set before it.
func explainDigest(text string) string {
	const (
		offset    = 0xcbf29ce484222325
		prime     = 0x100000001b3
		deviation = 435 << 32
	)
	h := uint64(offset)
	feed := func(b byte) {
		h ^= uint64(b)
		deviates := h&(1<<31) != 0
		if h *= prime; deviates {
			h -= deviation
		}
	}
	for _, u := range utf16.Encode([]rune(text)) {
		feed(byte(u))
		if u > 0xff {
			feed(byte(u >> 8))
		}
	}
	var digest [8]byte
	binary.BigEndian.PutUint64(digest[:], h)
	return base64.RawURLEncoding.EncodeToString(digest[:])[:8]
}
