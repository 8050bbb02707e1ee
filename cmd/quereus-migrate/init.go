package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/config"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/types"
)

type initOptions struct {
	dir    string
	from   string
	wait   time.Duration
	opener target.Opener
}

func newInitCmd(a *app) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Begin a project: a configuration and a first schema file",
		Long: `init writes quereus-migrate.yaml and schemas/main.sql into a folder, the working directory if none is named. The schema is a small
example, or with --from that of a database, a SQLite file, a dump, or any other target.

Nothing that is there is written over.`,
		Example: `  quereus-migrate init
  quereus-migrate init --from shop
  quereus-migrate init --from sqlite:chinook.db chinook`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir, o.opener = ".", a.newOpener(cmd, o.wait)
			if len(args) == 1 {
				o.dir = args[0]
			}
			return runInit(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.from, "from", "", "target whose schema is written")
	addLockTimeout(cmd, &o.wait)
	return cmd
}

// firstSchema is the schema file of a project that begins with nothing.
const firstSchema = `-- What the database shall look like. Change this file, see what that means with "quereus-migrate diff", and carry it
-- out with "quereus-migrate apply".
declare schema main {

  table note {
    id integer primary key,
    title text,
    body text null,
    made datetime null
  }

  index note_by_title on note(title collate nocase)
}
`

func runInit(ctx context.Context, a *app, o initOptions) error {
	schema := []byte(firstSchema)
	db := "./data"
	if o.from != "" {
		var err error
		if schema, err = o.schemaOf(ctx, a); err != nil {
			return err
		}
		if target.IsDatabase(o.from) && o.from != target.Memory {
			if db, err = filepath.Rel(o.dir, o.from); err != nil {
				db = o.from
			}
		}
	}
	var settings bytes.Buffer
	if err := firstConfig.Execute(&settings, fmt.Sprintf("%q", db)); err != nil {
		return err
	}
	files := []struct {
		name string
		text []byte
	}{{filepath.Join(o.dir, config.Name), settings.Bytes()}, {filepath.Join(o.dir, "schemas", "main.sql"), schema}}
	for _, f := range files {
		if _, err := os.Lstat(f.name); err == nil {
			return &types.Error{Code: types.CANTOPEN, Message: f.name + " is there already; nothing was written", Hint: "name another folder, or move it away"}
		}
	}
	for _, f := range files {
		if err := writeNew(f.name, f.text); err != nil {
			return err
		}
		fmt.Fprintln(a.Out, a.Text(f.name))
	}
	next := "apply --create"
	if file, ok := target.ForeignFile(o.from); ok {
		next = "import " + file + " --db " + filepath.Join(o.dir, "data")
	}
	fmt.Fprintf(a.Err, "next: quereus-migrate %s\n", a.Text(next))
	return nil
}

// schemaOf gives the schema of the target as a file.
func (o *initOptions) schemaOf(ctx context.Context, a *app) ([]byte, error) {
	o.opener.ReadOnly = true
	db, err := o.opener.Live(ctx, o.from)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = a.writing(&text).inspectSQL(db)
	return text.Bytes(), firstOf(err, db.Close())
}

// writeNew writes a file that is not there yet, and the folders that it lies in.
func writeNew(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return types.Wrapf(types.CANTOPEN, err, "init")
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return types.Wrapf(types.CANTOPEN, err, "init")
	}
	_, err = f.Write(text)
	return firstOf(err, f.Close())
}

// firstConfig is the configuration of a new project; it is given the database in quotes.
var firstConfig = template.Must(template.New("").Parse(`# yaml-language-server: $schema=https://raw.githubusercontent.com/quereus/quereus-migrate/main/docs/quereus-migrate.schema.json
# Settings of quereus-migrate: docs/config.md lists them. Paths count from this file; flags win over what is said here.
version: 1

# Where the schema is declared.
schemas: schemas
# exclude: ["schemas/drafts/**"]

# Golden tests of migrations (quereus-migrate test).
# tests: migrations/tests

# What is used without --env.
env: local

environments:
  local:
    db: {{.}}
  # production:
  #   db: ${SHOP_DB}
  #   allow: warning
  #   lock-timeout: 30s
  #   statement-timeout: 10m

# lint:
#   fail-on: warning
#   severity:
#     select-star: "off"
`))
