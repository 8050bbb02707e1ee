package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/format"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// shellCommand is a command of the shell's own.
type shellCommand struct {
	names []string
	args  string
	help  string
	run   func(s *shell, ctx context.Context, args []string) error
}

var errQuit = errors.New("quit")

var shellCommands []shellCommand

func init() { // they refer to themselves through .help
	shellCommands = []shellCommand{
		{[]string{".tables", `\d`, `\dt`}, "[NAME]", "list tables and views; with a name, what declares it", (*shell).tables},
		{[]string{".schema"}, "[NAME]", "print the declarations of everything, or of a table or view with its indexes", (*shell).schema},
		{[]string{".mode"}, "table|line|csv|json", "form of rows; line is a line for each value", (*shell).mode},
		{[]string{".timer"}, "on|off", "tell how long statements take", (*shell).timer},
		{[]string{".explain"}, "QUERY", "show the plan of a query", (*shell).explainQuery},
		{[]string{".read"}, "FILE", "run the statements of a file", (*shell).readFile},
		{[]string{".import"}, "FILE TABLE", "insert the rows of a CSV file whose first line names columns; an empty field is NULL", (*shell).importFile},
		{[]string{".help", `\?`}, "", "this list", (*shell).help},
		{[]string{".quit", ".exit", `\q`}, "", "end the shell, as Ctrl-D does", func(*shell, context.Context, []string) error { return errQuit }},
	}
}

// command runs a command of the shell's own. An error is told, and the shell goes on.
func (s *shell) command(ctx context.Context, text string) (quit bool) {
	name, rest, _ := strings.Cut(text, " ")
	at := slices.IndexFunc(shellCommands, func(c shellCommand) bool { return slices.Contains(c.names, name) })
	if at < 0 {
		fmt.Fprintf(s.Err, "there is no command %s; .help tells which there are\n", name)
		return false
	}
	c := shellCommands[at]
	args := strings.Fields(rest)
	if name == ".explain" {
		args = []string{strings.TrimSpace(rest)}
	}
	err := c.run(s, ctx, args)
	var usage *usageError
	switch {
	case errors.Is(err, errQuit):
		return true
	case errors.As(err, &usage):
		fmt.Fprintf(s.Err, "usage: %s %s\n", c.names[0], c.args)
	case err != nil:
		s.PrintFault(err, nil)
	}
	return false
}

func (s *shell) help(context.Context, []string) error {
	fmt.Fprint(s.Err, shellHelp)
	for _, c := range shellCommands {
		fmt.Fprintf(s.Err, "  %-28s%s\n", strings.TrimSpace(strings.Join(c.names, " ")+" "+c.args), c.help)
	}
	return nil
}

const shellHelp = `A statement may take several lines; it runs when a line ends it with ";". A prompt with * tells that a transaction is open;
it is rolled back if you leave without commit. Ctrl-C ends the statement that runs, Ctrl-D the shell. Tab completes.
`

// tables lists what rows can be read from.
func (s *shell) tables(ctx context.Context, args []string) error {
	if len(args) > 0 {
		return s.schema(ctx, args)
	}
	s.runText(ctx, ast.NewSource("", "select type, name from schema() where type in ('table', 'view') order by name"))
	return nil
}

// schema prints declarations.
func (s *shell) schema(_ context.Context, args []string) error {
	if s.conn.InTransaction() {
		fmt.Fprintln(s.Err, "(what the open transaction has changed is not in it)")
	}
	stmts, err := target.Declarations(s.db)
	if err != nil {
		return err
	}
	found := len(args) == 0
	for _, d := range stmts {
		for _, item := range d.Items {
			if len(args) > 0 && !isAbout(item, args[0]) {
				continue
			}
			found = true
			sql := ast.FormatWith(item.(ast.Stmt), ast.Options{Implied: "main"}) + ";"
			text, err := format.Source(ast.NewSource("", sql))
			if err != nil {
				text = sql + "\n"
			}
			fmt.Fprint(s.Out, s.Text(text))
		}
	}
	if !found {
		return types.Errorf(types.ERROR, "there is no table or view %s", args[0])
	}
	return nil
}

// isAbout reports whether an item declares a table or view, or an index of it.
func isAbout(item ast.DeclareItem, name string) bool {
	switch n := item.(type) {
	case *ast.CreateTableStmt:
		return types.EqualFold(n.Name.Name.Text, name)
	case *ast.CreateIndexStmt:
		return types.EqualFold(n.Table.Name.Text, name)
	case *ast.CreateViewStmt:
		return types.EqualFold(n.Name.Name.Text, name)
	case *ast.CreateMaterializedViewStmt:
		return types.EqualFold(n.Name.Name.Text, name)
	}
	return false
}

func (s *shell) mode(_ context.Context, args []string) error {
	if len(args) != 1 || !slices.Contains([]string{"table", "line", "csv", "json"}, args[0]) {
		return &usageError{}
	}
	s.format = args[0]
	return nil
}

func (s *shell) timer(_ context.Context, args []string) error {
	if len(args) != 1 || args[0] != "on" && args[0] != "off" {
		return &usageError{}
	}
	s.isTimed = args[0] == "on"
	return nil
}

func (s *shell) explainQuery(ctx context.Context, args []string) error {
	if args[0] == "" {
		return &usageError{}
	}
	s.runText(ctx, ast.NewSource("", "explain query plan "+args[0]))
	return nil
}

func (s *shell) readFile(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return &usageError{}
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return types.Wrapf(types.CANTOPEN, err, "statements")
	}
	s.runText(ctx, ast.NewSource(args[0], string(text)))
	return nil
}

// importFile inserts the rows of a CSV file: all of them or none.
func (s *shell) importFile(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return &usageError{}
	}
	f, err := os.Open(args[0])
	if err != nil {
		return types.Wrapf(types.CANTOPEN, err, "rows")
	}
	defer f.Close()
	ctx, stop := untilSignal(ctx)
	defer stop()
	begin, commit, rollback := "begin", "commit", "rollback"
	if s.conn.InTransaction() {
		begin, commit, rollback = "savepoint shell_import", "release shell_import", "rollback to shell_import; release shell_import"
	}
	if err := s.do(ctx, begin); err != nil {
		return err
	}
	n, err := s.importRows(ctx, csv.NewReader(f), args[1])
	if err != nil {
		return errors.Join(types.Wrapf(types.CodeOf(err), err, "%s", args[0]), s.do(context.WithoutCancel(ctx), rollback))
	}
	if err := s.do(ctx, commit); err != nil {
		return err
	}
	fmt.Fprintf(s.Err, "(%s inserted)\n", counted(n, "row", "rows"))
	return nil
}

func (s *shell) importRows(ctx context.Context, r *csv.Reader, table string) (n int64, err error) {
	header, err := r.Read()
	if err != nil {
		return 0, types.Wrapf(types.ERROR, err, "the first line")
	}
	columns, marks := make([]string, len(header)), make([]string, len(header))
	for i, name := range header {
		columns[i], marks[i] = ast.Format(ast.Ident(strings.TrimPrefix(name, "\ufeff"))), "?"
	}
	stmt, err := s.conn.Prepare(fmt.Sprintf("insert into %s (%s) values (%s)", ast.Format(ast.Ident(table)), strings.Join(columns, ", "), strings.Join(marks, ", ")))
	if err != nil {
		return 0, err
	}
	values := make([]types.Value, len(header))
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, types.Wrapf(types.ERROR, err, "row %d", n+1)
		}
		for i, f := range fields {
			if values[i] = types.Null; f != "" {
				values[i] = types.Text(f)
			}
		}
		if _, err := stmt.Exec(ctx, engine.Params{Positional: values}); err != nil {
			return n, types.Wrapf(types.CodeOf(err), err, "row %d", n+1)
		}
		n++
	}
}

// do runs statements that give no rows.
func (s *shell) do(ctx context.Context, sql string) error {
	return s.conn.Each(ctx, ast.NewSource("", sql), engine.Params{}, func(r *engine.Rows) error {
		return eachRow(r, func(types.Row) error { return nil })
	})
}

// complete completes the word at a place of a line: commands at its beginning, files after .read and .import, else names and the words
// of the grammar.
func (s *shell) complete(line string, pos int) (head string, words []string, tail string) {
	runes := []rune(line)
	pos = min(pos, len(runes))
	from := pos
	for from > 0 && !strings.ContainsRune(" \t(),;=<>+-*/|", runes[from-1]) {
		from--
	}
	head, word, tail := string(runes[:from]), string(runes[from:pos]), string(runes[pos:])
	switch first := strings.Fields(head + " x")[0]; {
	case from == 0 && strings.HasPrefix(word, "."):
		for _, c := range shellCommands {
			words = append(words, c.names...)
		}
	case strings.HasPrefix(first, ".read") || strings.HasPrefix(first, ".import"):
		return s.completeFile(line, pos)
	default:
		words = append(s.names(), parse.Words()...)
	}
	words = slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(strings.ToLower(w), strings.ToLower(word)) || w == "" })
	slices.Sort(words)
	return head, slices.Compact(words), tail
}

// completeFile completes the name of a file.
func (s *shell) completeFile(line string, pos int) (head string, words []string, tail string) {
	runes := []rune(line)
	text := string(runes[:pos])
	at := strings.LastIndexByte(text, ' ') + 1
	word := text[at:]
	dir := word[:strings.LastIndexByte(word, '/')+1]
	entries, _ := os.ReadDir("./" + dir) // a folder that is not there has no files
	if strings.HasPrefix(dir, "/") {
		entries, _ = os.ReadDir(dir)
	}
	for _, e := range entries {
		name := dir + e.Name()
		if e.IsDir() {
			name += "/"
		}
		if strings.HasPrefix(name, word) {
			words = append(words, name)
		}
	}
	return text[:at], words, string(runes[pos:])
}

// names lists the names of tables, columns and views.
func (s *shell) names() []string {
	cat, err := s.db.Catalog()
	if err != nil {
		return nil
	}
	var out []string
	for _, schema := range cat.Schemas() {
		for t := range cat.Tables(schema) {
			out = append(out, ast.Format(ast.Ident(t.Name)))
			for _, c := range t.Columns {
				out = append(out, ast.Format(ast.Ident(c.Name)))
			}
		}
		for v := range cat.Views(schema) {
			out = append(out, ast.Format(ast.Ident(v.Name)))
		}
	}
	return out
}
