package golden

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
)

// Scenario is one migration as files, those of a folder or of one txtar archive: what is there, what is declared, and what must come of it.
// docs/testing.md is the manual. What the files expect is asked as cases are.
type Scenario struct {
	// Path is that of the folder or archive.
	Path  string
	files []txtar.File
	// comment is the text before the files of an archive.
	comment []byte
	isTxtar bool
}

// The files of a scenario that say what is there and what is declared.
const (
	startFile   = "start.sql"
	startPaths  = "start.paths"
	rowsFile    = "rows.sql"
	optionsFile = "options"
	pathsFile   = "target.paths"
	targetName  = "target" // target.sql, target.yaml, or files below target/
)

// expectations are the files that say what must come of it, in the order in which they are asked, with the directive that answers each.
var expectations = []struct{ file, directive string }{
	{"plan.txt", "plan review"}, {"report.md", "report"}, {"apply.txt", "apply"}, {"end.sql", "catalog"}, {"end-rows.txt", "rows"},
}

// IsScenario reports whether a path is a folder or archive that holds a scenario.
func IsScenario(name string) bool {
	if strings.HasSuffix(name, ".txtar") {
		return true
	}
	for _, file := range []string{pathsFile, targetName + ".sql", targetName + ".yaml", targetName} {
		if _, err := os.Stat(filepath.Join(name, file)); err == nil {
			_, none := os.Stat(filepath.Join(name, startFile))
			_, listed := os.Stat(filepath.Join(name, startPaths))
			return none == nil || listed == nil
		}
	}
	return false
}

// ReadScenario reads a folder or an archive.
func ReadScenario(name string) (*Scenario, error) {
	s := &Scenario{Path: name, isTxtar: strings.HasSuffix(name, ".txtar")}
	if s.isTxtar {
		a, err := txtar.ParseFile(name)
		if err != nil {
			return nil, err
		}
		s.files, s.comment = a.Files, a.Comment
		return s, s.check()
	}
	root := os.DirFS(name)
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(root, file)
		s.files = append(s.files, txtar.File{Name: file, Data: text})
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, s.check()
}

// check refuses files that mean nothing: one with a mistyped name would pass for ever.
func (s *Scenario) check() error {
	hasTarget := false
	for _, f := range s.files {
		isTarget := f.Name == pathsFile || path.Base(f.Name) == f.Name && strings.TrimSuffix(f.Name, path.Ext(f.Name)) == targetName || strings.HasPrefix(f.Name, targetName+"/")
		hasTarget = hasTarget || isTarget
		isExpected := slices.ContainsFunc(expectations, func(e struct{ file, directive string }) bool { return e.file == f.Name })
		if !isTarget && !isExpected && !slices.Contains([]string{startFile, startPaths, rowsFile, optionsFile}, f.Name) && !strings.EqualFold(path.Ext(f.Name), ".md") {
			return fmt.Errorf("%s: %s is no file of a migration case: docs/testing.md lists them", s.Path, f.Name)
		}
	}
	if !hasTarget {
		return fmt.Errorf("%s: there is no target: target.sql, target.yaml, files below target/, or target.paths", s.Path)
	}
	return nil
}

func (s *Scenario) file(name string) (text string, ok bool) {
	for _, f := range s.files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// start gives the statements that make what is there: schema files are applied, and rows put in.
func (s *Scenario) start() (string, error) {
	var b strings.Builder
	add := func(name, text string) {
		b.WriteString(text + "\n;\n")
		stmts, err := parse.Stmts(ast.NewSource(name, text))
		if err != nil {
			return // it is told when the text is run
		}
		for _, stmt := range stmts {
			if d, ok := stmt.(*ast.DeclareSchemaStmt); ok {
				b.WriteString("apply schema " + ast.FormatName(d.Name.Text) + ";\n")
			}
		}
	}
	list, _ := s.file(startPaths)
	for _, name := range strings.Fields(list) {
		text, err := os.ReadFile(filepath.Join(s.dir(), filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		add(name, string(text))
	}
	for _, name := range []string{startFile, rowsFile} {
		if text, ok := s.file(name); ok {
			add(name, text)
		}
	}
	return b.String(), nil
}

// cases are what the files ask, each with the file that it is about. What must come of the apply is success where nothing is written.
func (s *Scenario) cases() ([]*Case, error) {
	start, err := s.start()
	if err != nil {
		return nil, err
	}
	options, _ := s.file(optionsFile)
	out := []*Case{
		{File: s.Path, Kind: "start", Input: start, Expected: []string{"ok"}},
		{File: s.Path, Kind: "schema", Input: s.target(), Expected: []string{"ok"}},
	}
	for _, e := range expectations {
		text, ok := s.file(e.file)
		words := strings.Fields(e.directive)
		if !ok && words[0] != "apply" {
			continue
		}
		c := &Case{File: s.Path, Kind: words[0], Args: words[1:]}
		if ok {
			c.Expected = strings.Split(strings.TrimRight(text, "\n"), "\n")
		}
		for _, w := range strings.Fields(options) {
			if slices.Contains(migrationDirectives[c.Kind], w) || isAllowance(c.Kind, w) {
				c.Args = append(c.Args, w)
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// target gives the schema as a case takes it.
func (s *Scenario) target() string {
	var b strings.Builder
	if list, ok := s.file(pathsFile); ok {
		for _, name := range strings.Fields(list) {
			b.WriteString("-- include: " + name + "\n")
		}
	}
	for _, f := range s.files {
		if strings.HasPrefix(f.Name, targetName+"/") || f.Name != pathsFile && strings.TrimSuffix(f.Name, path.Ext(f.Name)) == targetName {
			b.WriteString("-- file: " + f.Name + "\n" + string(f.Data) + "\n")
		}
	}
	return b.String()
}

// dir is the folder from which target.paths is read.
func (s *Scenario) dir() string {
	if s.isTxtar {
		return filepath.Dir(s.Path)
	}
	return s.Path
}

// Run runs the scenario. The results are those of its files; an error means that the run itself broke.
func (s *Scenario) Run(ctx context.Context, open func(context.Context) (Session, error), o RunOptions) ([]Result, error) {
	o.Dir = s.dir()
	cases, err := s.cases()
	if err != nil {
		return nil, err
	}
	results, err := RunMigrations(ctx, cases, open, o)
	for i, r := range results {
		if r.Case.Kind == "apply" && len(r.Case.Expected) == 0 && !r.Pass {
			results[i].Pass = len(r.Got) == 1 && (strings.HasPrefix(r.Got[0], "applied ") || strings.HasPrefix(r.Got[0], "would apply "))
		}
	}
	return results, err
}

// Update gives the files of the scenario with the answers of those results that did not pass, and writes them.
func (s *Scenario) Update(results []Result) error {
	for _, r := range results {
		for _, e := range expectations {
			if !r.Pass && strings.Fields(e.directive)[0] == r.Case.Kind {
				if err := s.put(e.file, strings.Join(r.Got, "\n")+"\n"); err != nil {
					return err
				}
			}
		}
	}
	if !s.isTxtar {
		return nil
	}
	text := txtar.Format(&txtar.Archive{Comment: s.comment, Files: s.files})
	if old, err := os.ReadFile(s.Path); err != nil || bytes.Equal(old, text) {
		return err
	}
	return os.WriteFile(s.Path, text, 0o644)
}

func (s *Scenario) put(name, text string) error {
	i := slices.IndexFunc(s.files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		s.files = append(s.files, txtar.File{Name: name, Data: []byte(text)})
	} else {
		s.files[i].Data = []byte(text)
	}
	if s.isTxtar {
		return nil
	}
	return os.WriteFile(filepath.Join(s.Path, name), []byte(text), 0o644)
}

// Begin gives a scenario that expects nothing yet the files that Update fills: plan, definitions and rows.
func (s *Scenario) Begin() {
	for _, e := range expectations {
		if _, ok := s.file(e.file); ok {
			return
		}
	}
	for _, name := range []string{"plan.txt", "end.sql", "end-rows.txt"} {
		s.files = append(s.files, txtar.File{Name: name})
	}
}

// Place gives the file that a result of a scenario is about, for messages.
func (s *Scenario) Place(r Result) string {
	name := map[string]string{"start": startFile, "schema": targetName}[r.Case.Kind]
	for _, e := range expectations {
		if strings.Fields(e.directive)[0] == r.Case.Kind {
			name = e.file
		}
	}
	if s.isTxtar {
		return s.Path + ":" + name
	}
	return path.Join(filepath.ToSlash(s.Path), name)
}
