package target

import (
	"context"
	"os"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/transfer"
	"github.com/quereus/quereus-migrate/engine/transfer/dump"
	"github.com/quereus/quereus-migrate/engine/transfer/foreign"
	"github.com/quereus/quereus-migrate/engine/transfer/sqlite"
	"github.com/quereus/quereus-migrate/types"
)

// The prefixes name a SQLite file, which is known by its first bytes, too, and a dump.
const (
	sqlitePrefix = "sqlite:"
	dumpPrefix   = "dump:"
)

// IsForeign reports whether a target is a database of another system.
func IsForeign(name string) bool {
	return strings.HasPrefix(name, sqlitePrefix) || strings.HasPrefix(name, dumpPrefix) || name != Stdin && isFile(name) && sqlite.IsFile(name)
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// OpenForeign opens a database of another system: a SQLite file, else a dump. It must be closed.
func OpenForeign(ctx context.Context, name string) (transfer.Source, error) {
	if file, ok := strings.CutPrefix(name, sqlitePrefix); ok || sqlite.IsFile(name) {
		return sqlite.Open(ctx, file)
	}
	name = strings.TrimPrefix(name, dumpPrefix)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "dump %s", name)
	}
	d, ok := dump.DialectOf(string(text))
	switch {
	case !ok:
		return nil, &types.Error{Code: types.CANTOPEN, Message: name + " is neither a SQLite file nor a dump of sqlite3, pg_dump or mysqldump",
			Hint: "a schema file is applied: quereus-migrate apply --db DIR --create " + name}
	case d == foreign.SQLite:
		return sqlite.OpenDump(ctx, name, string(text))
	}
	return dump.New(name, string(text), d)
}

// foreignSource gives the schema of a database of another system as the text of a schema file.
func (o Opener) foreignSource(name string) (src *ast.Source, err error) {
	ctx := context.Background()
	db, err := OpenForeign(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := db.Close(); err == nil {
			err = e
		}
	}()
	s, err := transfer.Shape(ctx, db, transfer.Options{})
	if err != nil {
		return nil, err
	}
	if o.Meanings != nil {
		o.Meanings(name, s.Notes)
	}
	return ast.NewSource(name, s.Text), nil
}

// ForeignFile gives the file of a target that is a database of another system.
func ForeignFile(name string) (file string, ok bool) {
	return strings.TrimPrefix(strings.TrimPrefix(name, sqlitePrefix), dumpPrefix), IsForeign(name)
}
