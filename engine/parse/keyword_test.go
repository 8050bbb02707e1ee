package parse

import (
	goast "go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"slices"
	"strings"
	"testing"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// TestWordList: the constants and the names of the words stand in one order.
func TestWordList(t *testing.T) {
	file, err := goparser.ParseFile(gotoken.NewFileSet(), "keyword.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	goast.Inspect(file, func(n goast.Node) bool {
		if spec, ok := n.(*goast.ValueSpec); ok && len(spec.Names) == 1 && strings.HasPrefix(spec.Names[0].Name, "w") &&
			spec.Names[0].Name != "wordList" && spec.Names[0].Name != "wordTable" && spec.Names[0].Name != "wordSlots" {
			names = append(names, strings.ToLower(spec.Names[0].Name[1:]))
		}
		return true
	})
	if got, want := strings.Join(names, " "), strings.Join(wordList, " "); got != want {
		t.Errorf("constants: %s\n     names: %s", got, want)
	}
}

// TestLookupWord: every word is found in any case, nothing else is, and looking costs no memory.
func TestLookupWord(t *testing.T) {
	for i, name := range wordList {
		for _, s := range []string{name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:]} {
			if w := lookupWord(s); w != word(i+1) {
				t.Errorf("%s is word %d, want %d", s, w, i+1)
			}
		}
		for _, s := range []string{name + "x", "x" + name, name[:len(name)-1] + "_", name[:len(name)-1] + "0"} {
			if w := lookupWord(s); w != noWord && !strings.EqualFold(wordList[w-1], s) {
				t.Errorf("%s is taken for %s", s, wordList[w-1])
			}
		}
	}
	if n := testing.AllocsPerRun(100, func() { lookupWord("Materialized") }); n != 0 {
		t.Errorf("a look-up allocates %v times", n)
	}
}

// TestClasses: the words that the parser does not take as a name everywhere are those that the printer puts in quotes.
func TestClasses(t *testing.T) {
	for i, name := range wordList {
		if w := word(i + 1); (w.class() != free) != ast.IsReserved(name) {
			t.Errorf("%s: the printer and the parser disagree", name)
		}
	}
}

// TestWhereWordsAreNames tries every word in the places that the classes speak of.
func TestWhereWordsAreNames(t *testing.T) {
	for _, place := range []struct {
		name, before, after string
		least               class
	}{
		{"bare alias", "select 1 ", "", free},
		{"alias of a source", "select 1 from t ", "", free},
		{"alias after AS", "select 1 as ", "", contextual},
		{"alias of a source after AS", "select 1 from t as ", "", contextual},
		{"column of a source", "select t.", "", contextual},
		{"relation", "select 1 from ", "", schemaWord},
		{"schema", "select 1 from ", ".t", schemaWord},
		{"schema path", "select 1 from t with schema ", "", schemaWord},
		{"function", "select ", "(1, 2)", contextual},
		{"CTE", "with ", " as (select 1) select 1", contextual},
		{"parameter", "select :", "", free},
		{"tag", "insert into t values (1) with tags (", " = 1)", contextual},
		{"column of an INSERT", "insert into t (", ") values (1)", contextual},
	} {
		for i, name := range wordList {
			w := word(i + 1)
			want := w.class() >= place.least
			if place.name == "function" && slices.Contains([]word{wReplace, wNot, wAll, wDistinct}, w) {
				continue // a call of replace, and clauses with a row value
			}
			_, err := Stmts(ast.NewSource("", place.before+name+place.after))
			if (err == nil) != want {
				t.Errorf("%s as %s: %v", name, place.name, err)
			}
		}
	}
}
