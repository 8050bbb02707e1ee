package planfile

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// text draws texts that files may spoil: line breaks, quotes, what YAML takes for something else.
func text() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "null", "~", "yes", "1e3", "- a", "# no", "a: b", "'", `"`, "a\nb\n", " a ", "\t", "\r\n", "\u2028", "\u0085", "\x07", "\ufeff", "😀", "0x1F", "2001-01-01", "{", "|", "\n\n x"}),
		rapid.StringN(0, 12, -1),
	)
}

// draw makes a plan whose statements are in the form that the tool writes.
func draw(t *rapid.T) *differ.Plan {
	hash := rapid.StringMatching(`[0-9a-f]{64}`)
	p := &differ.Plan{Schema: text().Draw(t, "schema") + "s", From: hash.Draw(t, "from"), To: hash.Draw(t, "to")}
	p.Settings = differ.Settings{
		Nullable: rapid.Bool().Draw(t, "nullable"), Collation: "BINARY", Module: rapid.SampledFrom([]string{"", "store"}).Draw(t, "module"),
		Policy: rapid.SampledFrom([]ast.RenamePolicy{ast.RenameAllow, ast.RenameRequireHint, ast.RenameDeny}).Draw(t, "policy"),
	}
	if rapid.Bool().Draw(t, "args") {
		p.Settings.ModuleArgs = []catalog.ModuleArg{{Key: "k", Value: types.Text(text().Draw(t, "arg"))}, {Key: "n", Value: types.Int(3)}}
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "steps") {
		p.Steps = append(p.Steps, drawStep(t, i))
	}
	for range rapid.IntRange(0, 2).Draw(t, "notes") {
		p.Notes = append(p.Notes, differ.Note{Kind: differ.NoteColumnOrder, Object: text().Draw(t, "object"), Message: text().Draw(t, "message"), Difference: rapid.Bool().Draw(t, "difference")})
	}
	return p
}

func drawStep(t *rapid.T, place int) differ.Step {
	name := ast.Name{Text: "t" + text().Draw(t, "name"), Quoted: true}
	literal := ast.LiteralOf(types.Text(text().Draw(t, "literal")))
	stmt := rapid.SampledFrom([]ast.Stmt{
		&ast.DropStmt{Kind: ast.TableObject, IfExists: true, Name: ast.QName{Name: name}},
		&ast.DropStmt{Kind: ast.ViewObject, Name: ast.QName{Schema: name, Name: name}},
		&ast.DeleteStmt{Table: ast.Target{Name: ast.QName{Name: name}}},
		&ast.UpdateStmt{Table: ast.Target{Name: ast.QName{Name: name}}, Set: []ast.Assignment{{Column: name, X: literal}}},
		&ast.AlterStmt{Kind: ast.TableObject, Name: ast.QName{Name: name}, Action: &ast.SetDefault{Column: name, X: literal}},
	}).Draw(t, "statement")
	s, err := differ.NewStep(stmt)
	require.NoError(t, err)
	if s.IsData() {
		return s
	}
	s.Reason = text().Draw(t, "reason")
	s.Effect = differ.Effect{Kind: differ.EffectKind(rapid.IntRange(0, int(differ.WritesRows)).Draw(t, "effect")), Rows: rapid.Int64Range(-1, 1<<40).Draw(t, "rows")}
	if s.Effect.Kind == differ.MetadataOnly {
		s.Effect.Rows = 0
	}
	for range rapid.IntRange(0, 2).Draw(t, "hazards") {
		s.Hazards = append(s.Hazards, differ.Hazard{
			Code:     rapid.SampledFrom(differ.HazardInfos()).Draw(t, "code").Name,
			Severity: differ.Severity(rapid.IntRange(0, int(differ.Destructive)).Draw(t, "severity")),
			Message:  text().Draw(t, "message"), Avoid: text().Draw(t, "avoid"),
		})
	}
	for before := range place {
		if rapid.Bool().Draw(t, "after") {
			s.After = append(s.After, before)
		}
	}
	return s
}

// TestFile: a plan comes back from its file as it was, from YAML and JSON alike; its bytes are the same each time; both satisfy the
// schema; sealing it again changes nothing.
func TestFile(t *testing.T) {
	valid := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		differ.ChainData(p.Steps)
		about := About{Version: text().Draw(t, "version"), Nondeterministic: rapid.Bool().Draw(t, "nondeterministic")}
		f := New(p, about)
		for _, encode := range []func() ([]byte, error){f.YAML, f.JSON} {
			b, err := encode()
			require.NoError(t, err)
			again, err := encode()
			require.NoError(t, err)
			require.Equal(t, string(b), string(again))

			back, err := Decode(b)
			require.NoError(t, err, "%s", b)
			require.Equal(t, f, back, "%s", b)
			var any any
			read := yaml.Unmarshal
			if IsJSON(b) {
				read = json.Unmarshal
			}
			require.NoError(t, read(b, &any))
			require.NoError(t, valid.Validate(plain(t, any)), "%s", b)

			plan, err := back.Plan()
			require.NoError(t, err)
			require.Equal(t, f, New(plan, about))
			require.NoError(t, back.Seal())
			require.Equal(t, f, back)
		}
	})
}

func compiled(t *testing.T) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("plan.json", doc))
	s, err := c.Compile("plan.json")
	require.NoError(t, err)
	return s
}

// plain gives a document as JSON has it.
func plain(t require.TestingT, v any) any {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	return out
}

func sample() *File {
	drop := func(name string) differ.Step {
		s, err := differ.NewStep(&ast.DropStmt{Kind: ast.TableObject, IfExists: true, Name: ast.QName{Name: ast.Ident(name)}})
		if err != nil {
			panic(err)
		}
		s.Effect = differ.Effect{Kind: differ.DeletesRows, Rows: 3}
		s.Hazards = []differ.Hazard{{Code: differ.DropsRows, Severity: differ.Destructive, Message: "drops it", Avoid: "do not"}}
		return s
	}
	p := &differ.Plan{Schema: "main", From: strings.Repeat("a", 64), To: strings.Repeat("b", 64), Steps: []differ.Step{drop("t"), drop("u")}}
	p.Steps[1].After = []int{0}
	p.Settings.Collation = "BINARY"
	p.Notes = []differ.Note{{Kind: differ.NoteColumnOrder, Object: "t", Message: "other order"}}
	return New(p, About{Version: "7"})
}

// TestTampered: whatever value of a sealed file is changed, the file is refused.
func TestTampered(t *testing.T) {
	f := sample()
	b, err := f.JSON()
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, json.Unmarshal(b, &doc))
	changed := 0
	var visit func(at any, set func(any))
	visit = func(at any, set func(any)) {
		try := func(v any) {
			set(v)
			bad, err := json.Marshal(doc)
			set(at)
			require.NoError(t, err)
			changed++
			g, err := Decode(bad)
			if err == nil {
				_, err = g.Plan()
			}
			require.Error(t, err, "%s", bad)
		}
		switch v := at.(type) {
		case map[string]any:
			for k, x := range v {
				visit(x, func(to any) { v[k] = to })
			}
		case []any:
			for i, x := range v {
				visit(x, func(to any) { v[i] = to })
			}
			if len(v) > 1 {
				try(v[1:])
			}
		case string:
			try(v + "x")
		case float64:
			try(v + 1)
		case bool:
			try(!v)
		}
	}
	visit(doc, nil)
	require.Greater(t, changed, 20)
}

func TestDecodeRefuses(t *testing.T) {
	good, err := sample().JSON()
	require.NoError(t, err)
	swap := func(old, new string) string {
		require.Contains(t, string(good), old)
		return strings.Replace(string(good), old, new, 1)
	}
	for name, c := range map[string]struct{ text, message string }{
		"nothing":          {"", "no plan file"},
		"a schema file":    {"create table t (id integer)", "no plan file"},
		"another document": {"a: 1", "does not say its format"},
		"a newer one":      {swap(`"format": 1`, `"format": 2`), "of format 2, this release knows formats up to 1"},
		"no format at all": {swap(`"format": 1`, `"format": 0`), "there is no format 0"},
		"an unknown key":   {swap(`"schema"`, `"scheme"`), "unknown field"},
		"a key twice":      {swap(`"schema": "main"`, `"schema": "main", "Schema": "other"`), "twice"},
		"a key twice deep": {swap(`"object": "t"`, `"object": "t", "object": "u"`), "twice"},
		"two documents":    {string(good) + "{}", "more than one document"},
		"two YAML ones":    {"format: 1\n---\nformat: 1\n", "more than one document"},
		"a YAML key twice": {"format: 1\nschema: a\nschema: b\n", "already defined"},
		"a YAML alias":     {"format: 1\nschema: *x\n", "unknown anchor"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode([]byte(c.text))
			require.ErrorContains(t, err, c.message)
			require.Equal(t, types.FORMAT, types.CodeOf(err))
		})
	}
}

func TestInsertAndSeal(t *testing.T) {
	f := sample()
	require.NoError(t, f.Insert(2, "UPDATE t set a=1"))
	require.Equal(t, types.CORRUPT, types.CodeOf(f.Check()))
	require.NoError(t, f.Seal())
	p, err := f.Plan()
	require.NoError(t, err)
	require.Equal(t, []string{"DROP TABLE IF EXISTS t", "update t set a = 1", "DROP TABLE IF EXISTS u"}, p.Statements())
	require.Equal(t, [][]int{nil, {0}, {0, 1}}, [][]int{p.Steps[0].After, p.Steps[1].After, p.Steps[2].After})
	require.Equal(t, differ.StatementChanges, p.Steps[1].Hazards[0].Code)

	for at, want := range map[int]string{0: "no place 0", 5: "no place 5"} {
		require.ErrorContains(t, f.Insert(at, "delete from t"), want)
	}
	for sql, want := range map[string]string{
		"drop table t":                    "belongs in the schema file",
		"delete from t; delete from u":    "is one statement, this one is 2",
		"delete from t returning a":       "leave RETURNING out",
		"select 1":                        "has no place in it",
		"pragma foreign_keys = false":     "has no place in it",
		"commit":                          "has no place in it",
		"update":                          "the statement update",
		"":                                "is one statement, this one is 0",
		"apply schema main":               "has no place in it",
		"declare schema main { table t{}": "the statement",
	} {
		require.ErrorContains(t, f.Insert(1, sql), want, sql)
	}
	require.NoError(t, f.Check(), "refused statements leave no trace")
}

func TestSealRefuses(t *testing.T) {
	f := sample()
	slices.Reverse(f.Steps)
	require.ErrorContains(t, f.Seal(), "step 2 must stand behind step 1")
	f = sample()
	f.Steps[1].Step = 1
	require.ErrorContains(t, f.Seal(), "two steps have number 1")
	f = sample()
	f.Steps[0].Hazards[0].Code = "DS999"
	require.ErrorContains(t, f.Seal(), `no hazard "DS999 drops-rows"`)
	f = sample()
	f.Steps[0].Effect = "magic"
	require.ErrorContains(t, f.Seal(), `no effect "magic"`)
}

// TestPlanRefuses: a file whose checksum is right and which still means nothing.
func TestPlanRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil   func(*File)
		message string
	}{
		"a number":          {func(f *File) { f.Steps[0].Step = 7 }, "not in the form"},
		"another spelling":  {func(f *File) { f.Steps[0].Statement = "drop table if exists T" }, "not in the form"},
		"another object":    {func(f *File) { f.Steps[0].Object = "v" }, "is about table t, the plan says table v"},
		"a step after it":   {func(f *File) { f.Steps[0].After = []int{2} }, "cannot run after step 2"},
		"one after it":      {func(f *File) { f.Steps[1].After = []int{1, 1} }, "cannot run after step 1"},
		"no severity":       {func(f *File) { f.Steps[0].Hazards[0].Severity = "mild" }, "no severity"},
		"no nullability":    {func(f *File) { f.Settings.Nullability = "" }, "no settings.nullability"},
		"no rename policy":  {func(f *File) { f.Settings.RenamePolicy = "x" }, "no settings.rename_policy"},
		"no JSON arguments": {func(f *File) { f.Settings.ModuleArgs = "[1]" }, "no settings.module_args"},
	} {
		t.Run(name, func(t *testing.T) {
			f := sample()
			c.spoil(f)
			f.Checksum = f.Sum()
			_, err := f.Plan()
			require.ErrorContains(t, err, c.message)
		})
	}
}
