package golden

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
	"github.com/quereus/quereus-migrate/vtab/store"
)

// isLong reports whether the long forms of the durability tests are wanted:
//
//	QUEREUS_LONG=1 go test ./golden -run 'Crash|FullDisk' -timeout 60m
func isLong() bool { return os.Getenv("QUEREUS_LONG") != "" }

// durable is a database in a file system in memory, with the store below it.
type durable struct {
	fs vfs.FS
	kv *pebble.Store
	*engine.DB
}

// thresholds are where a store begins to work with bulk files. The zero thresholds are those of every database.
type thresholds struct{ overlay, bulkCommit int64 }

// openDurable opens the database in directory db of a file system, which is made if need be.
func openDurable(fs vfs.FS, at thresholds) (*durable, error) {
	ctx := context.Background()
	disk, err := pebble.Open("db", pebble.Options{
		FS: fs, Create: true, CacheBytes: 1 << 20, MemTableBytes: 256 << 10, StallLimit: 300 * time.Millisecond,
	})
	if err != nil {
		return nil, err
	}
	lasting, err := store.New(ctx, "store", disk, store.Options{Overlay: at.overlay, BulkCommit: at.bulkCommit})
	if err != nil {
		return nil, errors.Join(err, disk.Close())
	}
	volatile, err := store.New(ctx, "memory", mem.Open(), store.Options{})
	if err != nil {
		return nil, errors.Join(err, lasting.Close())
	}
	db, err := engine.New(ctx, engine.Options{Modules: []engine.ModuleEntry{{Name: "store", Module: lasting}, {Name: "memory", Module: volatile}}})
	if err != nil {
		return nil, errors.Join(err, lasting.Close())
	}
	return &durable{fs: fs, kv: disk, DB: db}, nil
}

func mustOpenDurable(t testing.TB, fs vfs.FS, at thresholds) *durable {
	d, err := openDurable(fs, at)
	require.NoError(t, err)
	return d
}

func (d *durable) exec(t testing.TB, sql string) {
	c := d.Conn()
	_, err := c.Exec(context.Background(), sql, engine.Params{})
	require.NoError(t, err)
	require.NoError(t, c.Close())
}

// apply brings the database to a declared schema; nothing happens when it is there.
func (d *durable) apply(declaration string) error {
	return d.migrate(declaration, engine.MigrateOptions{})
}

func (d *durable) migrate(declaration string, o engine.MigrateOptions) error {
	ctx := context.Background()
	declared, err := schemafile.Read(ast.NewSource("target.sql", declaration))
	if err != nil {
		return err
	}
	c := d.Conn()
	p, err := c.Diff(ctx, declared[0], engine.DiffOptions{AllowDestructive: true})
	if err == nil && !p.Empty() {
		o.Allow = differ.Destructive
		_, err = c.Migrate(ctx, p, o)
	}
	return errors.Join(err, c.Close())
}

// state is all that can be seen of the database: definitions, rows, the order of indexes, and the number of migrations.
func (d *durable) state(t testing.TB) string {
	ctx := context.Background()
	c := d.Conn()
	text, err := Dump(ctx, c)
	require.NoError(t, err)
	require.NoError(t, c.Close())
	history, err := d.History(ctx)
	require.NoError(t, err)
	for _, h := range history {
		text += "migration to " + h.To + "\n"
	}
	return text
}

// requireSound checks everything in the database, and that nothing is left of what an earlier process had under way.
func (d *durable) requireSound(t testing.TB, what string) {
	t.Helper()
	report, err := d.Check(context.Background())
	require.NoError(t, err, what)
	require.Empty(t, report.Faults, what)
	intentsAndRetired := kv.Span{Lo: []byte{0x05}, Hi: []byte{0x07}}
	it, err := d.kv.NewIter(kv.IterOptions{Span: intentsAndRetired})
	require.NoError(t, err)
	require.False(t, it.First(), "%s: ranges are still to be cleared: %x", what, it.Key())
	require.NoError(t, it.Close())
	names, err := d.fs.List("db/tmp")
	require.NoError(t, err)
	require.Empty(t, names, what)
}

// requireSoundSession checks everything that a run of cases has left, as far as it is committed.
func requireSoundSession(t testing.TB, s Session) {
	t.Helper()
	report, err := s.(*session).db.Check(context.Background())
	require.NoError(t, err)
	require.Empty(t, report.Faults)
}

// requireSameState compares two states, which are too long to be told as a whole.
func requireSameState(t testing.TB, want, got, what string) {
	t.Helper()
	if want != got {
		t.Fatalf("%s: the states differ:\n%s", what, lineDiff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
}

func code(err error) types.Code { return types.CodeOf(err) }
