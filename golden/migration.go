package golden

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/differ/report"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// migrationDirectives lists the directives of a file of migration cases with what they take; cases/README.md is their manual.
var migrationDirectives = map[string][]string{
	"start":   nil,
	"exec":    nil,
	"query":   {"rowsort"},
	"schema":  {"crlf", "cr", "mark", "open"},
	"plan":    {"any-order", "review", "require-hint", "deny", "column-order"},
	"apply":   {"allow=info", "allow=warning", "allow=failure", "allow=destructive", "dry-run", "seed", "require-hint", "deny", "column-order"},
	"catalog": nil,
	"history": nil,
	"rows":    nil,
	"report":  {"require-hint", "deny", "column-order"},
}

// ReadMigrations reads a file of migration cases in the format of cases/README.md.
func ReadMigrations(name string, r io.Reader) ([]*Case, error) {
	return readCases(name, r, migrationDirective)
}

func migrationDirective(c *Case, line string) error {
	words := strings.Fields(line)
	c.Kind, c.Args = words[0], words[1:]
	known, ok := migrationDirectives[c.Kind]
	if !ok {
		return fmt.Errorf("unknown directive %q", c.Kind)
	}
	for _, a := range c.Args {
		if !slices.Contains(known, a) && !isAllowance(c.Kind, a) {
			return fmt.Errorf("%s does not take %q", c.Kind, a)
		}
	}
	c.RowSort = c.has("rowsort")
	return nil
}

// isAllowance reports whether a word of an apply lets hazards of a code through: allow=CODE or allow=CODE:OBJECT.
func isAllowance(kind, word string) bool {
	text, ok := strings.CutPrefix(word, "allow=")
	_, err := differ.ParseAllowance(text)
	return ok && kind == "apply" && err == nil
}

func (c *Case) has(arg string) bool { return slices.Contains(c.Args, arg) }

// RunMigrations runs the cases of one file from top to bottom. Each `start` opens a fresh session with open; with o.Reopen, which
// only durable engines can answer, the database is closed and opened again behind each statement and each apply. An error means
// that the run itself broke, not that a case failed.
func RunMigrations(ctx context.Context, cases []*Case, open func(context.Context) (Session, error), o RunOptions) (results []Result, err error) {
	m := &migrations{open: open, options: o}
	defer func() {
		if e := m.close(); err == nil {
			err = e
		}
	}()
	for _, c := range cases {
		got, err := m.answer(ctx, c)
		if err != nil {
			return results, fmt.Errorf("%s: %w", c.ID(), err)
		}
		r := Result{Case: c, Pass: m.matches(c, got)}
		if !r.Pass {
			r.Got = got
		}
		results = append(results, r)
	}
	return results, nil
}

// migrations is a run of a file of migration cases.
type migrations struct {
	open    func(context.Context) (Session, error)
	options RunOptions
	session Session
	// declared is the last schema, nil when it was faulty.
	declared *catalog.Declared
}

func (m *migrations) close() error {
	if m.session == nil {
		return nil
	}
	return m.session.Close()
}

func (m *migrations) matches(c *Case, got []string) bool {
	switch {
	case c.Kind == "query" || c.Kind == "exec" || c.Kind == "start":
		return matches(c, got)
	case c.has("any-order"):
		return slices.Equal(slices.Sorted(slices.Values(c.Expected)), slices.Sorted(slices.Values(got)))
	}
	return slices.Equal(c.Expected, got)
}

// answer runs a case and gives its answer in the form of the files.
func (m *migrations) answer(ctx context.Context, c *Case) ([]string, error) {
	if c.Kind == "start" || m.session == nil {
		if err := m.start(ctx); err != nil {
			return nil, err
		}
	}
	switch c.Kind {
	case "schema":
		return m.schema(c)
	case "plan":
		return m.plan(ctx, c), nil
	case "apply":
		return m.apply(ctx, c)
	case "catalog":
		return m.catalog()
	case "history":
		return m.history(ctx)
	case "rows":
		return m.rows(ctx)
	case "report":
		return m.report(ctx, c), nil
	case "start":
		c = &Case{Kind: "exec", Input: c.Input}
	}
	got := answer(ctx, c, m.session)
	return got, m.reopen(ctx)
}

// start opens a fresh database in place of the one before.
func (m *migrations) start(ctx context.Context) error {
	if err := m.close(); err != nil {
		return err
	}
	var err error
	m.session, err = m.open(ctx)
	return err
}

func (m *migrations) reopen(ctx context.Context) error {
	if !m.options.Reopen || m.session.InTransaction() {
		return nil
	}
	return m.session.Reopen(ctx)
}

// schema reads the schema that the cases below speak of, and judges it beside what is there.
func (m *migrations) schema(c *Case) ([]string, error) {
	m.declared = nil
	sources, err := schemaSources(c, m.options.Dir)
	if err != nil {
		return nil, err
	}
	all, err := schemafile.Read(sources...)
	if err == nil && len(all) > 1 {
		err = types.Errorf(types.ERROR, "%d schemas are declared", len(all))
	}
	if err == nil {
		_, err = m.session.Conn().Verify(all[0], nil)
	}
	if err != nil {
		return []string{faultLine(err)}, nil
	}
	m.declared = all[0]
	return []string{"ok"}, nil
}

// schemaSources makes the files of a schema: the input in the byte form that the words ask for. Lines "-- file: NAME" part it into
// several files; a line "-- include: PATH" stands for files on disk, those of a folder included, and is looked for from dir.
func schemaSources(c *Case, dir string) ([]*ast.Source, error) {
	var out []*ast.Source
	name, text := "schema.sql", ""
	end := func() {
		if name != "schema.sql" || text != "" && !(c.includes() && strings.TrimSpace(text) == "") {
			out = append(out, ast.NewSource(name, byteForm(c, text)))
		}
	}
	for line := range strings.Lines(c.Input + "\n") {
		if next, ok := strings.CutPrefix(strings.TrimSpace(line), "-- file: "); ok {
			end()
			name, text = next, ""
			continue
		}
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "-- include: "); ok {
			full := filepath.Join(dir, filepath.FromSlash(path))
			included, err := schemafile.Sources(os.DirFS(filepath.Dir(full)), filepath.Base(full))
			if err != nil {
				return nil, err
			}
			out = append(out, included...)
			continue
		}
		text += line
	}
	end()
	return out, nil
}

func (c *Case) includes() bool { return strings.Contains(c.Input, "-- include: ") }

func byteForm(c *Case, text string) string {
	if c.has("open") {
		text = strings.TrimSuffix(text, "\n")
	}
	switch {
	case c.has("crlf"):
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case c.has("cr"):
		text = strings.ReplaceAll(text, "\n", "\r")
	}
	if c.has("mark") {
		text = "\uFEFF" + text
	}
	return text
}

// faultLine is an error with its place in a file, where it has one.
func faultLine(err error) string {
	message := err.Error()
	if first, _, more := strings.Cut(message, "\n"); more {
		message = first
	}
	return fmt.Sprintf("error %s: %s", types.CodeOf(err), message)
}

// renamePolicy is the policy that the words of a case ask for.
func renamePolicy(c *Case) ast.RenamePolicy {
	switch {
	case c.has("require-hint"):
		return ast.RenameRequireHint
	case c.has("deny"):
		return ast.RenameDeny
	}
	return ast.RenameAllow
}

// diff compares the database with the schema.
func (m *migrations) diff(ctx context.Context, c *Case) (*differ.Plan, error) {
	if m.declared == nil {
		return nil, types.Errorf(types.MISUSE, "no schema is declared")
	}
	return m.session.Conn().Diff(ctx, m.declared, engine.DiffOptions{Policy: renamePolicy(c), AllowDestructive: c.has("allow=destructive"), ColumnOrder: c.has("column-order")})
}

// plan lists the statements of the plan, with review what they do to rows and their hazards, and what no statement says.
func (m *migrations) plan(ctx context.Context, c *Case) []string {
	p, err := m.diff(ctx, c)
	if err != nil {
		return []string{faultLine(err)}
	}
	var out []string
	for _, s := range p.Steps {
		out = append(out, strings.Split(s.SQL, "\n")...)
		if c.has("review") {
			out = append(out, review(&s)...)
		}
	}
	for _, n := range p.Notes {
		word := "finding"
		if n.Difference {
			word = "difference"
		}
		out = append(out, fmt.Sprintf("-- %s %s: %s", word, n.Kind, n.Message))
	}
	if out == nil {
		out = []string{"nothing"}
	}
	return append(out, stableText(p)...)
}

func review(s *differ.Step) []string {
	out := []string{"    " + s.Effect.String()}
	for _, h := range s.Hazards {
		out = append(out, fmt.Sprintf("    %s %s: %s", h.Severity, h.Code, h.Message))
		if h.Avoid != "" {
			out = append(out, "        "+h.Avoid)
		}
		for _, x := range h.Examples {
			out = append(out, "        "+jsonLine(x.Key)+": "+jsonLine(types.Row{x.Before})+" becomes "+jsonLine(types.Row{x.After}))
		}
	}
	return out
}

// stableText proves that the text of each step reads back as what it says.
func stableText(p *differ.Plan) (broken []string) {
	for _, s := range p.Steps {
		stmts, err := parse.Stmts(ast.NewSource("", s.SQL))
		if err != nil || len(stmts) != 1 || ast.Format(stmts[0]) != s.SQL {
			broken = append(broken, "broken law: the statement does not read back: "+s.SQL)
		}
	}
	return broken
}

// apply carries the plan out. A run that fails must leave everything as it was, one that succeeds nothing to do.
func (m *migrations) apply(ctx context.Context, c *Case) ([]string, error) {
	before, err := Dump(ctx, m.session.Conn())
	if err != nil {
		return nil, err
	}
	p, err := m.diff(ctx, c)
	if err != nil {
		return []string{faultLine(err)}, nil
	}
	result, err := m.session.Conn().Migrate(ctx, p, m.migrateOptions(c))
	if err != nil || c.has("dry-run") {
		return m.untouched(ctx, before, outcome(result, err))
	}
	return m.arrived(ctx, c, p, outcome(result, nil))
}

func (m *migrations) migrateOptions(c *Case) engine.MigrateOptions {
	o := engine.MigrateOptions{DryRun: c.has("dry-run"), Allow: differ.Failure, Tool: "golden"}
	for _, s := range []differ.Severity{differ.Info, differ.Warning, differ.Destructive} {
		if c.has("allow=" + s.String()) {
			o.Allow = s
		}
	}
	for _, w := range c.Args {
		if text, ok := strings.CutPrefix(w, "allow="); ok && !slices.Contains(migrationDirectives["apply"], w) {
			if a, err := differ.ParseAllowance(text); err == nil {
				o.Allowances = append(o.Allowances, a)
			}
		}
	}
	if c.has("seed") {
		o.Seeds = m.declared
	}
	return o
}

// outcome tells what came of a run.
func outcome(r *engine.MigrateResult, err error) []string {
	var policy *engine.PolicyError
	var failed *engine.MigrateError
	switch {
	case err == nil && r.Number == 0:
		return []string{fmt.Sprintf("would apply %d", r.Applied)}
	case err == nil:
		out := fmt.Sprintf("applied %d", r.Applied)
		if r.Seeded > 0 || r.Reseeded > 0 {
			out += fmt.Sprintf(", seed rows: %d inserted, %d updated", r.Seeded, r.Reseeded)
		}
		return []string{out}
	case errors.As(err, &policy):
		return refusal(policy)
	case errors.As(err, &failed):
		return failures(failed)
	}
	return []string{faultLine(err)}
}

func refusal(e *engine.PolicyError) []string {
	out := []string{"refused"}
	for _, s := range e.Steps {
		for _, h := range s.Hazards {
			if !e.Allowed.Lets(&s, &h) {
				out = append(out, fmt.Sprintf("%s: %s: %s", s.SQL, h.Code, h.Message))
			}
		}
	}
	return out
}

func failures(e *engine.MigrateError) []string {
	out := []string{"failed"}
	for _, f := range e.Failures {
		if f.Err == nil {
			out = append(out, f.SQL+": not judged")
			continue
		}
		out = append(out, f.SQL+": "+faultLine(f.Err))
		if f.Rows == nil {
			continue
		}
		keys := make([]string, len(f.Rows.Keys))
		for i, k := range f.Rows.Keys {
			keys[i] = jsonLine(k)
		}
		out = append(out, fmt.Sprintf("    rows: %d, keys %s", f.Rows.Count, strings.Join(keys, " ")))
	}
	return out
}

// untouched checks that nothing has changed, also behind a reopen.
func (m *migrations) untouched(ctx context.Context, before string, out []string) ([]string, error) {
	if err := m.reopen(ctx); err != nil {
		return nil, err
	}
	after, err := Dump(ctx, m.session.Conn())
	if err != nil {
		return nil, err
	}
	if after != before {
		out = append(out, "broken law: the database is not as before")
	}
	return out, nil
}

// arrived checks that the database is what the plan was to make of it, and that nothing is left to do, now and behind a reopen.
func (m *migrations) arrived(ctx context.Context, c *Case, p *differ.Plan, out []string) ([]string, error) {
	for _, when := range []string{"", " behind a reopen"} {
		second, err := m.diff(ctx, c)
		if err != nil {
			return append(out, "broken law: the second plan"+when+": "+faultLine(err)), nil
		}
		for _, s := range second.Steps {
			out = append(out, "broken law: left to do"+when+": "+s.SQL)
		}
		if second.Empty() && p.To != "" && second.From != p.To {
			out = append(out, "broken law: the schema is not the far end of the plan"+when)
		}
		if err := m.reopen(ctx); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// catalog lists the definitions of everything, in the explicit form.
func (m *migrations) catalog() ([]string, error) {
	cat, err := m.session.Conn().Catalog()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range definitions(cat) {
		out = append(out, strings.Split(d, "\n")...)
	}
	if out == nil {
		out = []string{"nothing"}
	}
	return out, nil
}

// history lists the schema and the statements of each migration that was applied.
func (m *migrations) history(ctx context.Context) ([]string, error) {
	entries, err := m.session.Conn().DB().History(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		out = append(out, fmt.Sprintf("%d %s", e.Number, e.Schema))
		for _, s := range e.Statements {
			out = append(out, strings.Split("  "+s, "\n")...)
		}
	}
	if out == nil {
		out = []string{"nothing"}
	}
	return out, nil
}

// rows lists the rows of every table, in the order of its key.
func (m *migrations) rows(ctx context.Context) ([]string, error) {
	cat, err := m.session.Conn().Catalog()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, schema := range cat.Schemas() {
		for _, t := range cat.TablesInOrder(schema) {
			if t.IsEngineManaged() {
				continue
			}
			lines, err := m.session.Query(ctx, "select * from "+quoted(t.Schema)+"."+quoted(t.Name))
			if err != nil {
				return nil, err
			}
			out = append(append(out, t.Name), lines...)
		}
	}
	if out == nil {
		out = []string{"nothing"}
	}
	return out, nil
}

// report writes what reviewers see of the plan, as Markdown.
func (m *migrations) report(ctx context.Context, c *Case) []string {
	p, err := m.diff(ctx, c)
	if err != nil {
		return []string{faultLine(err)}
	}
	var text strings.Builder
	if err := report.Markdown(&text, &report.Report{From: "start", To: "target", Tool: "golden", Schemas: []report.Schema{{Plan: p}}}); err != nil {
		return []string{faultLine(err)}
	}
	return strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
}
