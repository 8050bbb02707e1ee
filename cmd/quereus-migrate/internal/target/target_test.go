package target

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// declared gives the schema of a target as text, and its hash.
func declared(t *testing.T, o Opener, name string) (text, hash string) {
	db, err := o.Live(context.Background(), name)
	require.NoError(t, err)
	defer db.Close()
	stmts, err := Declarations(db)
	require.NoError(t, err)
	require.Len(t, stmts, 1)
	cat, err := db.Catalog()
	require.NoError(t, err)
	return ast.FormatWith(stmts[0], ast.Options{Lines: true}), catalog.Hash(cat, catalog.MainSchema)
}

// What is read out of a schema makes the same schema, and is read out of that as the same text.
func TestDeclarationsReadBack(t *testing.T) {
	examples, err := filepath.Glob("../../../../schemas/examples/*/v*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	for _, name := range examples {
		text, hash := declared(t, Opener{}, name)
		again, sameHash := declared(t, Opener{Stdin: strings.NewReader(text)}, Stdin)
		require.Equal(t, hash, sameHash, name)
		require.Equal(t, text, again, name)
		require.NotContains(t, text, catalog.TagPreviousName, "hints of renames have been carried out")
	}
}

func TestIsDatabaseAndExists(t *testing.T) {
	dir := t.TempDir()
	missing, empty, db := filepath.Join(dir, "missing"), filepath.Join(dir, "empty"), filepath.Join(dir, "db")
	require.NoError(t, os.Mkdir(empty, 0o755))
	opened, err := Opener{Create: true}.Database(context.Background(), db)
	require.NoError(t, err)
	require.NoError(t, opened.Close())
	file := filepath.Join(dir, "schema.sql")
	require.NoError(t, os.WriteFile(file, []byte("create table t (id integer primary key)"), 0o644))

	for _, c := range []struct {
		name               string
		isDatabase, exists bool
	}{
		{Memory, true, true}, {missing, false, false}, {empty, false, false}, {db, true, true}, {file, false, true}, {dir, false, true},
	} {
		require.Equal(t, c.isDatabase, IsDatabase(c.name), c.name)
		require.Equal(t, c.exists, Exists(c.name), c.name)
	}

	_, err = Opener{}.Schemas(db)
	require.ErrorIs(t, err, types.MISUSE)
	_, err = Opener{}.Database(context.Background(), missing)
	require.ErrorIs(t, err, types.CANTOPEN)
	require.ErrorContains(t, err, "apply --create")
}

// What a blank database is planned for fits a directory that is made afterwards.
func TestBlankIsANewDirectory(t *testing.T) {
	ctx := context.Background()
	blank, err := Opener{}.Blank(ctx)
	require.NoError(t, err)
	defer blank.Close()
	dir, err := Opener{Create: true}.Database(ctx, filepath.Join(t.TempDir(), "db"))
	require.NoError(t, err)
	defer dir.Close()
	for _, option := range []string{"default_vtab_module", "default_vtab_args"} {
		a, b := blank.Conn().Option(option), dir.Conn().Option(option)
		require.Equal(t, types.ToText(a), types.ToText(b), option)
	}

	d, err := Opener{Stdin: strings.NewReader("create table t (id integer primary key, v text)")}.Schema(Stdin)
	require.NoError(t, err)
	plan, err := Plan(ctx, blank.Conn(), d, engine.DiffOptions{})
	require.NoError(t, err)
	_, err = dir.Conn().Migrate(ctx, plan, engine.MigrateOptions{})
	require.NoError(t, err)
}

// A comparison that starts from texts gives the plan of one that starts from a database made of them.
func TestStartOfTexts(t *testing.T) {
	ctx := context.Background()
	examples, err := filepath.Glob("../../../../schemas/examples/*/v*.sql")
	require.NoError(t, err)
	for _, from := range examples {
		for _, to := range examples {
			plan := func(db *engine.DB, cat *catalog.Snapshot) *differ.Plan {
				defer db.Close()
				wanted, err := Opener{}.Schema(to)
				require.NoError(t, err)
				conn, err := Session(db, wanted)
				require.NoError(t, err)
				p, err := Plan(ctx, conn, wanted, engine.DiffOptions{From: cat, AllowDestructive: true})
				require.NoError(t, err)
				return p
			}
			made, err := Opener{}.Live(ctx, from)
			require.NoError(t, err)
			want := plan(made, nil)
			db, cat, err := Opener{}.Start(ctx, from)
			require.NoError(t, err)
			got := plan(db, cat)
			require.Equal(t, want.Statements(), got.Statements(), "%s to %s", from, to)
			require.Equal(t, want.From, got.From, from)
			require.Equal(t, want.To, got.To, to)
			require.Equal(t, from == to, got.Empty())
		}
	}
}

func TestStartOfSeveralSchemas(t *testing.T) {
	two := "declare schema main { table a { id integer primary key } };\n" +
		"declare schema side { table b { id integer primary key, a integer references main.a(id) } }"
	db, cat, err := Opener{Stdin: strings.NewReader(two)}.Start(context.Background(), Stdin)
	require.NoError(t, err)
	defer db.Close()
	require.Equal(t, []string{"main", "side"}, Inhabited(cat))

	_, _, err = Opener{Stdin: strings.NewReader("create table m (id integer primary key) maintained as select 1 as id")}.Start(context.Background(), Stdin)
	require.ErrorIs(t, err, types.UNSUPPORTED)
}
