package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"github.com/quereus/quereus-migrate/engine/transfer"
	"github.com/quereus/quereus-migrate/engine/transfer/foreign"
	"github.com/quereus/quereus-migrate/types"
)

// magic is what a database file begins with.
const magic = "SQLite format 3\x00"

// IsFile reports whether a file is a SQLite database: by its first bytes.
func IsFile(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic
}

// Source is an open file. It satisfies transfer.Source.
type Source struct {
	name string
	db   *sql.DB
	conn *sql.Conn
	// temporary is the directory of a file that goes with the source, "" for none.
	temporary string
}

// Open opens a file for reading, and begins the transaction that all reads belong to. CANTOPEN when there is no such file, or when it is
// no SQLite database; BUSY when a program holds it.
func Open(ctx context.Context, name string) (*Source, error) {
	if _, err := os.Stat(name); err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "SQLite file %s", name)
	}
	if !IsFile(name) {
		return nil, types.Errorf(types.CANTOPEN, "%s is no SQLite database file", name)
	}
	s, err := open(ctx, name, "mode=ro")
	if err != nil && !exists(name+"-wal") {
		// In a directory that cannot be written to, a file in WAL mode is read as one that nobody changes.
		if again, e := open(ctx, name, "mode=ro&immutable=1"); e == nil {
			return again, nil
		}
	}
	return s, err
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func open(ctx context.Context, name, query string) (*Source, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	uri := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: query}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "SQLite file %s", name)
	}
	s := &Source{name: name, db: db}
	if err := s.begin(ctx); err != nil {
		s.Close()
		return nil, fault(name, err)
	}
	return s, nil
}

func (s *Source) begin(ctx context.Context) (err error) {
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return err
	}
	for _, q := range []string{"pragma busy_timeout = 2000", "pragma trusted_schema = off", "begin", "select count(*) from sqlite_schema"} {
		if _, err := s.conn.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// fault gives an error of SQLite its code here.
func fault(name string, err error) error {
	code := types.CANTOPEN
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		code = types.ABORT
	case strings.Contains(err.Error(), "SQLITE_BUSY"), strings.Contains(err.Error(), "locked"):
		return &types.Error{Code: types.BUSY, Message: name + " is in use: " + err.Error(), Hint: "close the program that has it open, or copy the file", Cause: err}
	}
	return types.Wrapf(code, err, "SQLite file %s", name)
}

// Name gives the file.
func (s *Source) Name() string { return s.name }

// Close ends the reading.
func (s *Source) Close() error {
	var errs []error
	if s.conn != nil {
		errs = append(errs, s.conn.Close())
	}
	errs = append(errs, s.db.Close())
	if s.temporary != "" {
		errs = append(errs, os.RemoveAll(s.temporary))
	}
	return errors.Join(errs...)
}

// each runs a query by the driver itself, whose values are SQLite's: database/sql would convert each. A row is f's until it returns.
func (s *Source) each(ctx context.Context, query string, f func([]driver.Value) error) error {
	err := s.conn.Raw(func(c any) (err error) {
		rows, err := c.(driver.QueryerContext).QueryContext(ctx, query, nil)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		row := make([]driver.Value, len(rows.Columns()))
		for {
			if err := rows.Next(row); err != nil {
				if err == io.EOF {
					return nil
				}
				return err
			}
			if err := f(row); err != nil {
				return &ours{err}
			}
		}
	})
	var own *ours
	if errors.As(err, &own) {
		return own.error
	}
	if err != nil {
		return fault(s.name, err)
	}
	return nil
}

// ours is an error that did not come from SQLite.
type ours struct{ error }

// object is a line of the schema table.
type object struct{ kind, name, table, text string }

func (s *Source) objects(ctx context.Context) ([]object, error) {
	var out []object
	err := s.each(ctx, "select type, name, tbl_name, coalesce(sql, '') from sqlite_schema order by rowid", func(row []driver.Value) error {
		out = append(out, object{text(row[0]), text(row[1]), text(row[2]), text(row[3])})
		return nil
	})
	return out, err
}

func text(v driver.Value) string {
	s, _ := v.(string)
	return s
}

// Contents reads the definitions. What SQLite keeps for itself, and the tables below virtual ones, are left out.
func (s *Source) Contents(ctx context.Context) (*transfer.Contents, error) {
	objects, err := s.objects(ctx)
	if err != nil {
		return nil, err
	}
	shadows, err := s.shadows(ctx)
	if err != nil {
		return nil, err
	}
	c := &transfer.Contents{Dialect: foreign.SQLite}
	leave := func(o object, format string) {
		c.Notes = append(c.Notes, transfer.Note{Kind: transfer.LeftOut, Object: o.name, Message: format, Text: o.text})
	}
	for _, o := range objects {
		switch {
		case strings.HasPrefix(o.name, "sqlite_") || o.text == "" || shadows[o.name] || shadows[o.table]:
		case o.kind == "trigger":
			leave(o, "a trigger: there are none here")
		case isVirtual(o.text):
			leave(o, "a virtual table: its module is SQLite's")
		case o.kind == "table":
			t, err := foreign.ReadTable(o.text, foreign.SQLite)
			if err != nil {
				return nil, types.Errorf(types.CORRUPT, "%s: table %s cannot be read: %s", s.name, o.name, err)
			}
			t.Name = o.name
			if err := s.complete(ctx, t); err != nil {
				return nil, err
			}
			c.Tables = append(c.Tables, t)
		case o.kind == "index":
			ix, err := foreign.ReadIndex(o.text, foreign.SQLite)
			if err != nil {
				return nil, types.Errorf(types.CORRUPT, "%s: index %s cannot be read: %s", s.name, o.name, err)
			}
			ix.Name, ix.Table = o.name, o.table
			c.Indexes = append(c.Indexes, ix)
		case o.kind == "view":
			v, err := foreign.ReadView(o.text, foreign.SQLite)
			if err != nil {
				leave(o, "a view that cannot be read: "+err.Error())
				continue
			}
			v.Name = o.name
			c.Views = append(c.Views, v)
		}
	}
	return c, nil
}

func isVirtual(text string) bool {
	words := foreign.Tokens(text, foreign.SQLite)
	return len(words) > 1 && words[1].Is("virtual")
}

// shadows lists the tables that virtual ones keep their data in.
func (s *Source) shadows(ctx context.Context) (map[string]bool, error) {
	out := map[string]bool{}
	err := s.each(ctx, "select name from pragma_table_list where schema = 'main' and type = 'shadow'", func(row []driver.Value) error {
		out[text(row[0])] = true
		return nil
	})
	return out, err
}

// complete makes sure that the columns are those that SQLite sees.
func (s *Source) complete(ctx context.Context, t *foreign.Table) error {
	at, ok := 0, true
	err := s.each(ctx, "select name, hidden, \"notnull\" from pragma_table_xinfo("+literal(t.Name)+")", func(row []driver.Value) error {
		if ok = ok && at < len(t.Columns) && strings.EqualFold(t.Columns[at].Name, text(row[0])); ok {
			notNull, _ := row[2].(int64)
			t.Columns[at].NotNull = t.Columns[at].NotNull || notNull != 0
		}
		at++
		return nil
	})
	if err == nil && (!ok || at != len(t.Columns)) {
		err = types.Errorf(types.CORRUPT, "%s: the columns of table %s are not those that its text names", s.name, t.Name)
	}
	if err == nil && isRowid(t) {
		t.Columns[index(t, t.Key.Members[0].Column)].NotNull = true
	}
	return err
}

// isRowid reports whether the key is another name of the rowid, which is never NULL.
func isRowid(t *foreign.Table) bool {
	if t.WithoutRowid || t.Key == nil || len(t.Key.Members) != 1 || t.Key.AtColumn && t.Key.Members[0].Desc {
		return false
	}
	c := t.Column(t.Key.Members[0].Column)
	return c != nil && strings.EqualFold(c.Type, "integer")
}

func index(t *foreign.Table, column string) int {
	for i, c := range t.Columns {
		if strings.EqualFold(c.Name, column) {
			return i
		}
	}
	return -1
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
