package parse

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// TestRoundTrip: what the printer writes parses again and prints alike, for the statements of every conformance case.
func TestRoundTrip(t *testing.T) {
	n := 0
	for _, text := range conformanceTexts(t) {
		stmts, err := Stmts(ast.NewSource("", text))
		if err != nil {
			continue
		}
		for _, s := range stmts {
			n++
			checkRoundTrip(t, s)
		}
	}
	t.Logf("%d statements", n)
}

func checkRoundTrip(t *testing.T, s ast.Stmt) {
	t.Helper()
	text := ast.Format(s)
	back, err := Stmts(ast.NewSource("", text))
	switch {
	case err != nil:
		t.Errorf("%v\nprinted: %s", err, text)
	case len(back) != 1:
		t.Errorf("one statement prints as %d: %s", len(back), text)
	case ast.Format(back[0]) != text:
		t.Errorf("printed: %s\n  again: %s", text, ast.Format(back[0]))
	}
}

// TestSpans: every node of a parsed tree knows its place: inside the text, inside the node above it, and, for a name, where
// its text stands.
func TestSpans(t *testing.T) {
	for _, text := range conformanceTexts(t) {
		stmts, err := Stmts(ast.NewSource("", text))
		if err != nil {
			continue
		}
		for _, s := range stmts {
			checkSpans(t, text, reflect.ValueOf(s), ast.Span{From: 0, To: ast.Pos(len(text))})
		}
	}
}

func checkSpans(t *testing.T, text string, v reflect.Value, within ast.Span) {
	t.Helper()
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			checkSpans(t, text, v.Elem(), within)
		}
	case reflect.Slice:
		for i := range v.Len() {
			checkSpans(t, text, v.Index(i), within)
		}
	case reflect.Struct:
		if n, ok := v.Interface().(ast.Name); ok {
			checkName(t, text, n, within)
			return
		}
		if f := v.FieldByName("Span"); f.IsValid() {
			span := f.Interface().(ast.Span)
			if span.From < within.From || span.To > within.To || span.From >= span.To {
				t.Errorf("%s says %v, within %v of: %s", v.Type(), span, within, text)
				return
			}
			within = span
		}
		for i := range v.NumField() {
			checkSpans(t, text, v.Field(i), within)
		}
	}
}

func checkName(t *testing.T, text string, n ast.Name, within ast.Span) {
	t.Helper()
	if n.Span == (ast.Span{}) {
		return
	}
	if n.From < within.From || n.To > within.To || !n.Quoted && text[n.From:n.To] != n.Text {
		t.Errorf("name %q says %v, within %v of: %s", n.Text, n.Span, within, text)
	}
}

// FuzzStmts: no text panics or runs away; an error is one of ours with a position in the text; a tree prints as text that
// parses and prints alike.
func FuzzStmts(f *testing.F) {
	seen := map[string]bool{}
	for i, text := range conformanceTexts(f) {
		if i%7 == 0 && !seen[text] && len(text) < 1000 {
			seen[text] = true
			f.Add(text)
		}
	}
	f.Add("\ufeffselect 1 -- bom\r;select 2")
	f.Fuzz(func(t *testing.T, text string) {
		stmts, err := Stmts(ast.NewSource("", text))
		if err == nil {
			for _, s := range stmts {
				checkRoundTrip(t, s)
			}
			return
		}
		var e *types.Error
		if !errors.As(err, &e) {
			t.Fatalf("%T is no *types.Error", err)
		}
		lines := 1 + strings.Count(text, "\n") + strings.Count(text, "\r")
		if e.Line < 1 || e.Line > lines || e.Column < 1 || e.Column > len(text)+1 {
			t.Errorf("position %d:%d is outside the text", e.Line, e.Column)
		}
	})
}
