package parse

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// TestDepth: a thousand levels of anything are accepted, and whatever is accepted at any size stays within MaxDepth and can be
// printed and parsed again; what is far deeper is refused with the limit and the position.
func TestDepth(t *testing.T) {
	for name, text := range deep {
		t.Run(name, func(t *testing.T) {
			if _, err := Stmts(ast.NewSource("", text(1000))); err != nil {
				t.Fatalf("1000 levels: %v", err)
			}
			var largest ast.Stmt
			for _, n := range []int{MaxDepth/3 - 20, MaxDepth/2 - 20, MaxDepth - 20, MaxNesting - 20} {
				stmts, err := Stmts(ast.NewSource("", text(n)))
				if err != nil {
					checkRefused(t, err)
					break
				}
				largest = stmts[0]
			}
			checkAccepted(t, largest)
			if name == "comment" {
				return
			}
			_, err := Stmts(ast.NewSource("", text(100_000)))
			checkRefused(t, err)
			// Refused on the way down: the stack never held the rest.
			var e *types.Error
			if errors.As(err, &e) && e.Column > len(text(MaxNesting+10)) {
				t.Errorf("refused only at column %d", e.Column)
			}
		})
	}
}

// TestDepthOfSigns: a seed value takes one sign, and no number of them exhausts the stack.
func TestDepthOfSigns(t *testing.T) {
	_, err := Stmts(ast.NewSource("", "declare schema main { seed t (("+strings.Repeat("- ", 1_000_000)+"1)) }"))
	checkRefused(t, err)
}

func checkAccepted(t *testing.T, s ast.Stmt) {
	t.Helper()
	if h := height(reflect.ValueOf(s)); h > MaxDepth {
		t.Errorf("the tree has %d levels, more than %d", h, MaxDepth)
	}
	text := ast.Format(s)
	back, err := Stmts(ast.NewSource("", text))
	if err != nil {
		t.Fatalf("the printed text of an accepted tree is refused: %v", err)
	}
	if again := ast.Format(back[0]); again != text {
		t.Error("the printed text prints differently")
	}
}

func checkRefused(t *testing.T, err error) {
	t.Helper()
	var e *types.Error
	if !errors.As(err, &e) || e.Code != types.TOOBIG || !strings.Contains(e.Message, "limit of") || e.Line != 1 || e.Column == 0 {
		t.Errorf("not refused for its depth: %.200v", err)
	}
}

// height counts the nodes on the longest path.
func height(v reflect.Value) int {
	switch v.Kind() {
	case reflect.Interface:
		return height(v.Elem())
	case reflect.Pointer:
		if v.IsNil() {
			return 0
		}
		n := 0
		if _, ok := v.Interface().(ast.Node); ok {
			n = 1
		}
		return n + height(v.Elem())
	case reflect.Struct:
		h := 0
		for i := range v.NumField() {
			h = max(h, height(v.Field(i)))
		}
		return h
	case reflect.Slice:
		h := 0
		for i := range v.Len() {
			h = max(h, height(v.Index(i)))
		}
		return h
	}
	return 0
}

// TestLongStatements parses what is long and not deep, in time that grows with the size.
func TestLongStatements(t *testing.T) {
	list := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"100,000 terms of OR":      "select 1 where c = 0" + list(100_000, " or c = %d"),
		"100,000 terms of AND":     "select 1 where c = 0" + list(100_000, " and c = %d"),
		"10,000 terms of plus":     "select 0" + list(10_000, " + %d"),
		"100,000 members of IN":    "select 1 where c in (0" + list(100_000, ", %d") + ")",
		"200,000 rows of VALUES":   "insert into t values (0, 'a')" + list(200_000, ", (%d, 'some text')"),
		"200,000 rows of a seed":   "declare schema main { seed t ((0, 'a')" + list(200_000, ", (%d, 'some text')") + ") }",
		"a text of 10 MB":          "select '" + strings.Repeat("it''s long ", 1_000_000) + "'",
		"2,000 columns":            "create table t (id integer primary key" + list(2_000, ", c%d integer null default 0") + ")",
		"500 legs":                 "select 1" + list(500, " union all select %d"),
		"5,000 tables":             "declare schema main {" + list(5_000, " table t%[1]d { id integer primary key references t%[1]d(id) }") + "}",
		"100,000 statements":       list(100_000, "select %d;"),
		"a comment of 10 MB":       "/*" + strings.Repeat(" * / ** // ", 1_000_000) + "*/ select 1",
		"100,000 comments nested":  strings.Repeat("/*", 100_000) + strings.Repeat("*/", 100_000) + " select 1",
		"100,000 named parameters": "select :p" + list(100_000, ", :p%d"),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			if _, err := Stmts(ast.NewSource("", text)); err != nil {
				t.Fatalf("%.300v", err)
			}
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("took %v for %d bytes", d, len(text))
			}
		})
	}
}

// TestBalancedChains: a long chain of AND or OR is balanced, a short one grouped to the left; both keep the order of their
// terms and the places of their operators.
func TestBalancedChains(t *testing.T) {
	for _, n := range []int{2, maxLinks, maxLinks + 1, 1000} {
		text := "a0"
		for i := 1; i < n; i++ {
			text += fmt.Sprintf(" or a%d", i)
		}
		x, err := Expr(ast.NewSource("", text))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(ast.Format(x), "  ", " "); got != text {
			t.Errorf("%d terms print as %.80s", n, got)
		}
		h, most := height(reflect.ValueOf(x)), n
		if n > maxLinks {
			most = 12
		}
		if h > most {
			t.Errorf("%d terms make %d levels", n, h)
		}
		checkOperators(t, text, x)
	}
}

func checkOperators(t *testing.T, text string, x ast.Expr) {
	b, ok := x.(*ast.Binary)
	if !ok {
		return
	}
	if got := text[b.OpPos : b.OpPos+2]; got != "or" {
		t.Errorf("the operator is said to be %q", got)
	}
	if b.L.End() > b.OpPos || b.R.Pos() < b.OpPos {
		t.Error("the operator does not stand between its operands")
	}
	checkOperators(t, text, b.L)
	checkOperators(t, text, b.R)
}
