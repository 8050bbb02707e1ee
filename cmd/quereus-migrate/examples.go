package main

import (
	"fmt"
	"strings"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// exampleLines show the values that a step changes for good. They are told to people at a terminal, and to who asks for samples.
func exampleLines(h *differ.Hazard) []string {
	lines := make([]string, len(h.Examples))
	for i, x := range h.Examples {
		lines[i] = fmt.Sprintf("%s: %s becomes %s", keyLiteral(x.Key), sample(x.Before), sample(x.After))
	}
	return lines
}

// keyLiteral spells a key.
func keyLiteral(key types.Row) string {
	values := make([]string, len(key))
	for i, v := range key {
		values[i] = ast.Format(ast.LiteralOf(v))
	}
	return "(" + strings.Join(values, ", ") + ")"
}

// longestSample is how many characters are shown of a value.
const longestSample = 60

// sample spells a value on one line, the beginning of a long one.
func sample(v types.Value) string {
	text := []rune(ast.Format(ast.LiteralOf(v)))
	end := ""
	if len(text) > longestSample {
		text, end = text[:longestSample], "…"
	}
	return term.Visible(string(text)) + end
}
