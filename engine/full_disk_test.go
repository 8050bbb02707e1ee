package engine_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble/crashtest"
)

// noSpace chooses what a full disk refuses.
func noSpace(op errorfs.Op) bool {
	switch op.Kind {
	case errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFileWriteAt, errorfs.OpFilePreallocate, errorfs.OpMkdirAll, errorfs.OpLink:
		return true
	}
	return false
}

// total is a query for what the rows come to.
const total = "select sum(x) from t"

func change(c *engine.Conn, sql string) error {
	_, err := c.Exec(ctx, sql, engine.Params{})
	return err
}

// A disk that is full when the log is written ends writing, not reading: neither in the session that met it nor in new ones.
func TestReadsGoOnWhenTheDiskIsFull(t *testing.T) {
	fs := crashtest.New(1)
	db, err := engine.OpenDir(ctx, "db", pebble.Options{FS: fs.FS, Create: true}, engine.Options{})
	require.NoError(t, err)
	c := db.Conn()
	require.NoError(t, change(c, "create table t(x integer primary key); insert into t values (1), (2)"))
	fs.Fail(syscall.ENOSPC, 0, noSpace)
	err = change(c, "insert into t values (10)")
	require.Equal(t, types.FULL, types.CodeOf(err), "%v", err)
	require.Equal(t, "3", query(t, c, total), "the session that met it")
	err = change(c, "begin; insert into t values (20)")
	if err == nil {
		require.Equal(t, "23", query(t, c, total))
		err = change(c, "commit")
	}
	require.Equal(t, types.FULL, types.CodeOf(err), "%v", err)
	require.Equal(t, "3", query(t, c, total))
	other := db.Conn()
	require.Equal(t, "3", query(t, other, total), "another session")
	require.NoError(t, db.Close())

	_, err = engine.OpenDir(ctx, "db", pebble.Options{FS: fs.FS}, engine.Options{})
	require.Equal(t, types.FULL, types.CodeOf(err), "%v", err)
	db, err = engine.OpenDir(ctx, "db", pebble.Options{FS: fs.FS, OrReadOnly: true}, engine.Options{})
	require.NoError(t, err)
	c = db.Conn()
	require.Equal(t, "3", query(t, c, total))
	err = change(c, "insert into t values (10)")
	require.Equal(t, types.FULL, types.CodeOf(err))
	require.ErrorContains(t, err, "open to read only, nothing was changed")
	require.Equal(t, "3", query(t, c, total))
	fs.Heal()
	require.NoError(t, db.Close())

	db, err = engine.OpenDir(ctx, "db", pebble.Options{FS: fs.FS, OrReadOnly: true}, engine.Options{})
	require.NoError(t, err)
	c = db.Conn()
	require.NoError(t, change(c, "insert into t values (10)"), "there is space again")
	require.Equal(t, "13", query(t, c, total))
	require.NoError(t, db.Close())
}

// What keeps a database from being opened for another reason than the disk is not passed over.
func TestOrReadOnlyIsForTheDiskAlone(t *testing.T) {
	_, err := engine.OpenDir(ctx, "db", pebble.Options{FS: pebble.MemFS(), OrReadOnly: true}, engine.Options{})
	require.Equal(t, types.CANTOPEN, types.CodeOf(err))
	require.True(t, strings.Contains(err.Error(), "does not exist"), "%v", err)
}
