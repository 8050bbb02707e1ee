package differ

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
)

// TestHazardDocs: every code has an id of a known family and a section of docs/hazards.md, and there is no section without a code.
func TestHazardDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/hazards.md")
	require.NoError(t, err)
	sections := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^### (\S+) (\S+)\n\nSeverity: (?:.+)\.\n\n.+\n\nExample: .+\.$`).FindAllStringSubmatch(string(text), -1) {
		require.NotContains(t, sections, m[1])
		sections[m[1]] = m[2]
	}
	headings := regexp.MustCompile(`(?m)^### `).FindAll(text, -1)
	require.Len(t, headings, len(sections), "each section has severity, text and example")

	families := map[string]bool{}
	for _, f := range HazardFamilies() {
		families[f.ID] = true
		require.Contains(t, string(text), "\n## "+f.ID+": "+f.Title+"\n")
	}
	documented := map[string]bool{}
	for _, i := range HazardInfos() {
		require.True(t, families[i.Family()], i.ID)
		require.Equal(t, string(i.Name), sections[i.ID], i.ID)
		require.NotEmpty(t, i.Title)
		require.False(t, documented[string(i.Name)], "%s has two ids", i.Name)
		documented[string(i.Name)] = true
	}
	require.Len(t, sections, len(HazardInfos()))
	for _, code := range declaredCodes(t) {
		require.True(t, documented[code], "%s has no id", code)
	}
}

// declaredCodes reads the codes out of the source, so that none is forgotten.
func declaredCodes(t *testing.T) (codes []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "hazard.go", nil, 0)
	require.NoError(t, err)
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := v.Type.(*ast.Ident); ok && id.Name == "HazardCode" {
			code, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			codes = append(codes, code)
		}
		return true
	})
	require.Greater(t, len(codes), 25)
	return codes
}

func TestAllowances(t *testing.T) {
	step := &Step{Object: "person"}
	h := &Hazard{Code: DropsRows, Severity: Destructive}
	for text, want := range map[string]bool{
		"DS101": true, "ds101": true, "drops-rows": true, "DS": true, "DS101:person": true, "DS:PERSON": true,
		"DS102": false, "DD": false, "DS101:pet": false, "DS101:person.name": false,
	} {
		a, err := ParseAllowance(text)
		require.NoError(t, err, text)
		p := Policy{Severity: Failure, Allowances: []Allowance{a}}
		require.Equal(t, want, p.Lets(step, h), text)
		require.Equal(t, text, a.String())
	}
	for _, text := range []string{"", "D", "DS1", "DS999", "drops", ":person", "destructive"} {
		_, err := ParseAllowance(text)
		require.ErrorContains(t, err, "there is no hazard", text)
	}
	p := Policy{Severity: Destructive}
	require.True(t, p.Lets(step, h))
}

// TestDroppedRules: a rule that goes is told, one that is declared otherwise is not.
func TestDroppedRules(t *testing.T) {
	for name, c := range map[string]struct {
		live, target string
		want         []HazardCode
	}{
		"unique":         {"t { id integer primary key, a text, constraint u unique (a) }", "t { id integer primary key, a text }", []HazardCode{DropsUnique}},
		"check":          {"t { id integer primary key, constraint c check (id > 0) }", "t { id integer primary key }", []HazardCode{DropsCheck}},
		"foreign key":    {"t { id integer primary key, p integer, constraint f foreign key (p) references t(id) }", "t { id integer primary key, p integer }", []HazardCode{DropsForeignKey}},
		"not null":       {"t { id integer primary key, a text not null }", "t { id integer primary key, a text null }", []HazardCode{DropsNotNull}},
		"another check":  {"t { id integer primary key, constraint c check (id > 0) }", "t { id integer primary key, constraint c check (id > 1) }", nil},
		"another name":   {"t { id integer primary key, constraint c check (id > 0) }", "t { id integer primary key, constraint d check (id > 0) }", nil},
		"with its table": {"t { id integer primary key, constraint c check (id > 0) } table u { id integer primary key }", "u { id integer primary key }", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSimulator()
			opts := Options{Env: s.env, Whole: true, Stats: Stats{Rows: map[string]int64{"t": 0}}}
			run := func(text string) *Plan {
				d := declare(t, "declare schema main { table "+text+" }")
				p, err := Diff(s.snapshot, d, opts)
				require.NoError(t, err)
				for i := range p.Steps {
					s.leaving = p.Steps[i+1:]
					require.NoError(t, s.exec(p.Steps[i].Stmt))
				}
				return p
			}
			s.edit(func(e *catalog.Edit) { e.AddSchema("main") })
			run(c.live)
			var got []HazardCode
			for _, step := range run(c.target).Steps {
				for _, h := range step.Hazards {
					if h.Code.Info().Family() == "CD" {
						got = append(got, h.Code)
					}
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}
