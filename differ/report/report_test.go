package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

func declared(t testing.TB, sql string) *ast.DeclareSchemaStmt {
	stmts, err := parse.Stmts(ast.NewSource("", sql))
	require.NoError(t, err)
	return stmts[0].(*ast.DeclareSchemaStmt)
}

func steps(t testing.TB, sql ...string) *differ.Plan {
	p := &differ.Plan{Schema: "main"}
	for _, s := range sql {
		stmts, err := parse.Stmts(ast.NewSource("", s))
		require.NoError(t, err)
		p.Steps = append(p.Steps, differ.Step{SQL: s, Stmt: stmts[0], Kind: ast.TableObject, Object: "t"})
	}
	return p
}

func TestChanges(t *testing.T) {
	before := declared(t, "declare schema main { table a { id integer primary key } table b { id integer primary key } table same { x integer primary key } index b_i on b(id) }")
	after := declared(t, "declare schema main { table b { id integer primary key } table c { id integer primary key, n integer } table same { x integer primary key } view b_i as select id from b }")
	// a becomes b, and b becomes c, through a name in between
	plan := steps(t, "alter table b rename to tmp", "alter table a rename to b", "alter table tmp rename to c")
	var told []string
	for _, c := range Changes(before, after, plan) {
		told = append(told, fmt.Sprintf("%s %s %s was %q", c.Kind, c.Name, c.Verb(), c.Was))
	}
	require.Equal(t, []string{`table b renamed was "a"`, `table c renamed was "b"`, `view b_i added was ""`, `index b_i removed was ""`}, told)
	require.Equal(t, "create table c (\n  id integer primary key,\n  n integer\n);", Changes(nil, after, plan)[1].After)
	require.Empty(t, Changes(before, before, steps(t)))
}

// patch carries a unified difference out, as the program of that name does.
func patch(t *rapid.T, before, diff string) string {
	old := strings.SplitAfter(before, "\n")
	var out strings.Builder
	at := 0
	for l := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(l, "--- "), strings.HasPrefix(l, "+++ "):
		case strings.HasPrefix(l, "@@ -"):
			start, rest, _ := strings.Cut(strings.TrimPrefix(l, "@@ -"), ",")
			n, err := strconv.Atoi(start)
			require.NoError(t, err)
			if count, _, _ := strings.Cut(rest, " "); count == "0" {
				n++
			}
			for at < n-1 {
				out.WriteString(old[at])
				at++
			}
		case l[0] == ' ', l[0] == '-':
			require.Equal(t, old[at], l[1:])
			if at++; l[0] == ' ' {
				out.WriteString(l[1:])
			}
		case l[0] == '+':
			out.WriteString(l[1:])
		}
	}
	return out.String() + strings.Join(old[at:], "")
}

func TestUnifiedIsAPatch(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 30), 0, 60).Draw(t, "lines") {
			fmt.Fprintf(&b, "line %d\n", n)
		}
		return b.String()
	})
	rapid.Check(t, func(t *rapid.T) {
		before := text.Draw(t, "before")
		after := text.Draw(t, "after")
		if rapid.Bool().Draw(t, "near") && before != "" {
			lines := strings.SplitAfter(before, "\n")
			at := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
			after = strings.Join(lines[:at], "") + "new\n" + strings.Join(lines[at:], "")
		}
		var b strings.Builder
		require.NoError(t, Unified(&b, "a", "b", before, after))
		require.Equal(t, before == after, b.Len() == 0)
		require.Equal(t, after, patch(t, before, b.String()))
	})
}

func TestSideBySideHasBothTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SliceOfN(rapid.SampledFrom([]string{"a integer,", "a text,", "b integer null,", "", "ö"}), 1, 8)
		c := Change{Before: strings.Join(line.Draw(t, "before"), "\n"), After: strings.Join(line.Draw(t, "after"), "\n")}
		var old, now []string
		join := func(spans []span) (s string) {
			for _, x := range spans {
				s += x.Text
			}
			return s
		}
		for _, p := range sideBySide(c) {
			if p.BeforeNo > 0 {
				old = append(old, join(p.Before))
			}
			if p.AfterNo > 0 {
				now = append(now, join(p.After))
			}
		}
		require.Equal(t, ended(c.Before), ended(strings.Join(old, "\n")))
		require.Equal(t, ended(c.After), ended(strings.Join(now, "\n")))
	})
}

const nasty = "<script>alert('`|*_]')</script>\n# \"&amp;\""

func nastyReport(t testing.TB) *Report {
	p := steps(t, "alter table t rename to u", `drop table if exists "`+strings.ReplaceAll(nasty, `"`, `""`)+`"`)
	p.Steps[1].Hazards = []differ.Hazard{{
		Code: differ.DropsRows, Severity: differ.Destructive, Message: nasty, Avoid: nasty,
		Examples: []differ.Example{{Key: types.Row{types.Int(1)}, Before: types.Text("secret"), After: types.Text(nasty)}},
	}}
	p.Notes = []differ.Note{{Kind: differ.NoteModule, Object: nasty, Message: nasty}}
	return &Report{From: nasty, To: nasty, Tool: nasty, Schemas: []Schema{{
		Plan:    p,
		Changes: []Change{{Kind: "table", Name: nasty, Was: nasty, Before: nasty, After: nasty + "x"}},
		Tables: []Table{{Name: nasty, Verb: "added", Columns: []Column{{Name: nasty, Type: nasty}}, Parents: []string{nasty, "other"}},
			{Name: "other", Parents: []string{nasty}}},
		Trial: &Trial{Failures: []Failure{{Step: 1, Message: nasty, Rows: 7, Keys: []string{"(4711)"}}}},
	}}}
}

func TestNothingBreaksOut(t *testing.T) {
	r := nastyReport(t)
	var page, text strings.Builder
	require.NoError(t, HTML(&page, r))
	require.NoError(t, Markdown(&text, r))
	require.NotContains(t, page.String(), "<script")
	for _, out := range []string{page.String(), text.String()} {
		require.Contains(t, out, "rows in the way: 7")
		require.NotContains(t, out, "4711", "values of rows are not for everybody")
		require.NotContains(t, out, "secret")
	}
	for l := range strings.Lines(text.String()) {
		require.False(t, strings.HasPrefix(l, "# \""), "a heading that nobody wrote: %s", l)
	}
	r.Samples = true
	page.Reset()
	text.Reset()
	require.NoError(t, HTML(&page, r))
	require.NoError(t, Markdown(&text, r))
	for _, out := range []string{page.String(), text.String()} {
		require.Contains(t, out, "4711")
		require.Contains(t, out, "secret")
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	var page strings.Builder
	require.NoError(t, HTML(&page, nastyReport(t)))
	for _, no := range []string{"<link", "src=", "url(", "@import", "http://", "https://"} {
		require.NotContains(t, strings.ReplaceAll(page.String(), `xmlns="http://www.w3.org/2000/svg"`, ""), no)
	}
}

func TestPictureIsXML(t *testing.T) {
	require.Empty(t, Picture(nil))
	name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", nasty})
	rapid.Check(t, func(t *rapid.T) {
		var tables []Table
		for _, n := range rapid.SliceOfNDistinct(name, 1, 6, rapid.ID[string]).Draw(t, "tables") {
			x := Table{Name: n, Verb: rapid.SampledFrom([]string{"", "added", "changed"}).Draw(t, "verb"), Parents: rapid.SliceOfN(name, 0, 3).Draw(t, "parents")}
			for range rapid.IntRange(0, 20).Draw(t, "columns") {
				x.Columns = append(x.Columns, Column{Name: name.Draw(t, "column"), Type: "text", IsKey: rapid.Bool().Draw(t, "key")})
			}
			tables = append(tables, x)
		}
		svg := Picture(tables)
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}
		require.Equal(t, len(tables), strings.Count(svg, "<rect "))
		require.Equal(t, svg, Picture(tables))
	})
}
