package term

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// printed gives what PrintFault writes where nobody sits at the terminal.
func printed(err error, src *ast.Source) string {
	var b strings.Builder
	(&Streams{Err: &b, Color: true}).PrintFault(err, src)
	return b.String()
}

func TestPrintFault(t *testing.T) {
	src := ast.NewSource("a.sql", "first\r\n\tsecond line\rthird")
	at := &types.Error{Code: types.CONSTRAINT, Message: "no", Hint: "do it", Line: 2, Column: 9}
	for _, c := range []struct {
		name string
		err  error
		src  *ast.Source
		want string
	}{
		{"in a file", &catalog.SourceError{Source: src, Err: at}, nil, "a.sql:2:9: error CONSTRAINT: no\n  \tsecond line\n  \t       ^^^^\n  hint: do it\n"},
		{"in a wrapped file", fmt.Errorf("outer: %w", &catalog.SourceError{Source: src, Err: at}), nil, "a.sql:2:9: error CONSTRAINT: no\n  \tsecond line\n  \t       ^^^^\n  hint: do it\n"},
		{"of a file as a whole", &catalog.SourceError{Source: src, Err: types.Errorf(types.ERROR, "empty")}, nil, "a.sql: error: empty\n"},
		{"in a statement", &types.Error{Message: "no", Code: types.ERROR, Line: 1, Column: 1}, ast.NewSource("", "x"), "<statement>:1:1: error: no\n  x\n  ^\n"},
		{"behind the last line", &types.Error{Message: "no", Code: types.ERROR, Line: 1, Column: 3}, ast.NewSource("", "x "), "<statement>:1:3: error: no\n  x \n    ^\n"},
		{"no place", &types.Error{Code: types.BUSY, Message: "in use", Hint: "wait"}, src, "error BUSY: in use\n  hint: wait\n"},
		{"wrapped", fmt.Errorf("outer: %w", &types.Error{Code: types.BUSY, Message: "in use", Hint: "wait"}), nil, "error BUSY: outer: in use; wait\n"},
		{"none of ours", fmt.Errorf("disk"), src, "error: disk\n"},
	} {
		require.Equal(t, c.want, printed(c.err, c.src), c.name)
	}
}

// What a file says cannot steer the terminal, and a long line does not fill it.
func TestExcerpt(t *testing.T) {
	text, caret := excerpt("a\x1b[31mb", 7, 1)
	require.Equal(t, `a\x1b[31mb`, text)
	require.Equal(t, "         ^", caret)

	text, caret = excerpt("日本 x", 4, 1)
	require.Equal(t, "日本 x", text)
	require.Equal(t, "     ^", caret)

	text, caret = excerpt(strings.Repeat("a", 1000)+"b"+strings.Repeat("c", 1000), 1001, 1)
	require.Equal(t, "…"+strings.Repeat("a", shownBefore)+"b"+strings.Repeat("c", shownBehind-1)+"…", text)
	require.Equal(t, strings.Repeat(" ", 1+shownBefore)+"^", caret)

	text, caret = excerpt("\xff\xfe", 2, 1)
	require.Equal(t, "\ufffd", text)
	require.Equal(t, " ^", caret)
	text, caret = excerpt("", 5, 1)
	require.Equal(t, "", text)
	require.Equal(t, "^", caret)
}

func TestColorsAreForTerminals(t *testing.T) {
	require.Equal(t, "x", (&Streams{Color: true}).ErrPalette().Red("x"))
	require.Equal(t, "x", (&Streams{OutTerminal: true}).OutPalette().Red("x"))
	require.Equal(t, "\x1b[31;1mx\x1b[0m", (&Streams{Color: true, ErrTerminal: true}).ErrPalette().Red("x"))
	require.Equal(t, "\x1b[33mx\x1b[0m", (&Streams{Color: true, OutTerminal: true}).OutPalette().Yellow("x"))
}
