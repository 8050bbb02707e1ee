package pebble

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Backup copies the database in dir, as it is at one moment, into a new database in to, which must be missing or empty. It takes no lock
// of the database and hinders nobody (Options.Beside); the copy is durable when it returns. Checkpoints are not copied. A backup that is cut
// off leaves a database whose creation was not finished; one that fails leaves nothing of it.
func Backup(ctx context.Context, dir, to string, o Options) error {
	o = o.withDefaults()
	o.Beside, o.Create = true, false
	s, err := Open(dir, o)
	if err != nil {
		return err
	}
	err = s.backup(ctx, to, o.Command)
	if e := s.Close(); err == nil {
		err = e
	}
	return err
}

func (s *Store) backup(ctx context.Context, to, command string) error {
	to, err := canonical(s.root.fs, to)
	if err != nil {
		return err
	}
	if to == s.root.dir || strings.HasPrefix(to, s.root.dir+"/") {
		return types.Errorf(types.MISUSE, "the backup of %s cannot lie in it", s.root.dir)
	}
	_, missing := s.root.fs.Stat(to)
	r := &root{fs: s.root.fs, dir: to, refs: 1}
	if err := r.refuseDatabase(); err != nil {
		return err
	}
	if err := r.acquire(command); err != nil {
		return err
	}
	err = r.receive(ctx, s)
	if err != nil {
		r.discard()
	}
	if e := r.release(); err == nil {
		err = e
	}
	if err != nil && missing != nil {
		_ = r.fs.Remove(r.path(lockName))
		_ = r.fs.Remove(to) // if nothing else is in it
	}
	return err
}

// refuseDatabase refuses a directory in which a database is, or was.
func (r *root) refuseDatabase() error {
	exists, err := r.look(true)
	if err != nil {
		return err
	}
	if exists {
		return types.Errorf(types.MISUSE, "%s is a database already", r.dir)
	}
	return nil
}

// receive makes the directory a database with a copy of the store.
func (r *root) receive(ctx context.Context, s *Store) error {
	const first = storePrefix + "1"
	what := "cannot back up to " + r.dir
	if err := r.refuseDatabase(); err != nil { // now that nobody else can make one
		return err
	}
	if _, err := r.fs.Stat(r.path(first)); err == nil {
		return types.Errorf(types.CORRUPT, "%s: there is %s, but no %s", what, first, currentName)
	}
	if err := r.sweep(first); err != nil {
		return err
	}
	r.ours = true
	if err := syncDir(r.fs, r.fs.PathDir(r.dir)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return wrap(err, what)
	}
	temp := r.tempName("backup", "")
	if err := copyDurably(ctx, r.fs, s.dir, temp); err != nil {
		return wrap(err, what)
	}
	if err := r.moveDir(temp, first); err != nil {
		return wrap(err, what)
	}
	return r.writeCurrent(first)
}

// discard removes what a backup that failed has made.
func (r *root) discard() {
	if !r.ours {
		return
	}
	if names, err := r.fs.List(r.dir); err == nil {
		for _, name := range names {
			if name != lockName {
				_ = r.fs.RemoveAll(r.path(name)) // the error that matters is the first
			}
		}
	}
	r.ours = false
}

// copyDurably copies the files of a store, each of them synced.
func copyDurably(ctx context.Context, fs vfs.FS, from, to string) error {
	if err := fs.MkdirAll(to, ownerOnly); err != nil {
		return err
	}
	names, err := fs.List(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := kv.Interrupted(ctx); err != nil {
			return err
		}
		if name == lockName {
			continue
		}
		if err := vfs.Copy(fs, fs.PathJoin(from, name), fs.PathJoin(to, name)); err != nil {
			return err
		}
	}
	return syncDir(fs, to)
}
