package pebble

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// CheckpointInfo describes a checkpoint of a database.
type CheckpointInfo struct {
	Number uint64
	// Bytes is the size of its files. Tables are shared with the live store as long as that has them.
	Bytes uint64
}

// Checkpoints lists the checkpoints of the database, oldest first.
func (s *Store) Checkpoints() ([]CheckpointInfo, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.gate.leave()
	r := s.root
	names, err := r.fs.List(r.path(undoName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.wrap(err, "list checkpoints")
	}
	var out []CheckpointInfo
	for _, name := range names {
		n, ok := number(name)
		if !ok {
			continue
		}
		bytes, err := dirSize(r.fs, r.path(undoName, name))
		if err != nil {
			return nil, s.wrap(err, "measure checkpoint "+name)
		}
		out = append(out, CheckpointInfo{Number: n, Bytes: bytes})
	}
	slices.SortFunc(out, func(a, b CheckpointInfo) int { return cmp.Compare(a.Number, b.Number) })
	return out, nil
}

func dirSize(fs vfs.FS, dir string) (n uint64, err error) {
	names, err := fs.List(dir)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		info, err := fs.Stat(fs.PathJoin(dir, name))
		if err != nil {
			return 0, err
		}
		n += uint64(info.Size())
	}
	return n, nil
}

// TakeCheckpoint makes a checkpoint of the durable state and gives its number, higher than all before. It costs little space at
// first: tables are hard links. A crash leaves the checkpoint whole or not at all.
func (s *Store) TakeCheckpoint(ctx context.Context) (uint64, error) {
	all, err := s.Checkpoints()
	if err != nil {
		return 0, err
	}
	n := uint64(1)
	if len(all) > 0 {
		n = all[len(all)-1].Number + 1
	}
	r := s.root
	temp := r.tempName("checkpoint", "")
	if err := s.Checkpoint(ctx, temp); err != nil {
		return 0, err
	}
	if err := r.moveDir(temp, undoName, strconv.FormatUint(n, 10)); err != nil {
		return 0, s.wrap(err, "checkpoint")
	}
	return n, nil
}

// moveDir renames a finished directory to its place, durably.
func (r *root) moveDir(from string, to ...string) error {
	target := r.path(to...)
	parent := r.fs.PathDir(target)
	if err := r.fs.MkdirAll(parent, ownerOnly); err != nil {
		return err
	}
	if err := r.fs.Rename(from, target); err != nil {
		return err
	}
	if err := syncDir(r.fs, parent); err != nil {
		return err
	}
	return syncDir(r.fs, r.dir)
}

// DropCheckpoint removes a checkpoint; NOTFOUND when there is none of that number.
func (s *Store) DropCheckpoint(n uint64) error {
	if err := s.enterWrite(); err != nil {
		return err
	}
	defer s.gate.leave()
	dir, err := s.checkpointDir(n)
	if err != nil {
		return err
	}
	// Renamed first: half removed it must not be taken for a checkpoint.
	temp := s.root.tempName("dropped", "")
	if err := s.root.fs.Rename(dir, temp); err != nil {
		return s.wrap(err, "drop a checkpoint")
	}
	return s.wrap(s.root.fs.RemoveAll(temp), "drop a checkpoint")
}

func (s *Store) checkpointDir(n uint64) (string, error) {
	dir := s.root.path(undoName, strconv.FormatUint(n, 10))
	if _, err := s.root.fs.Stat(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", types.Errorf(types.NOTFOUND, "database %s has no checkpoint %d", s.root.dir, n)
		}
		return "", s.wrap(err, "find a checkpoint")
	}
	return dir, nil
}

// OpenCheckpoint opens a copy of a checkpoint as a store of the same database, beside the live one; the checkpoint stays as it is. What is
// written to the copy counts once MakeCurrent makes it the live one; without that it goes when the database is next opened.
func (s *Store) OpenCheckpoint(ctx context.Context, n uint64) (*Store, error) {
	if err := s.enterWrite(); err != nil {
		return nil, err
	}
	defer s.gate.leave()
	from, err := s.checkpointDir(n)
	if err != nil {
		return nil, err
	}
	name, err := s.root.freeStoreName()
	if err != nil {
		return nil, err
	}
	dir := s.root.path(name)
	if err := copyStore(ctx, s.root.fs, from, dir); err != nil {
		_ = s.root.fs.RemoveAll(dir) // goes at the next open, else
		return nil, s.wrap(err, "copy a checkpoint")
	}
	s.root.retain()
	c, err := openStore(s.root, dir, s.given, false)
	if err != nil {
		_ = s.root.release() // the live store has the root as well
		return nil, err
	}
	return c, nil
}

func (r *root) freeStoreName() (string, error) {
	names, err := r.fs.List(r.dir)
	if err != nil {
		return "", wrap(err, "database "+r.dir+": find a name for a store")
	}
	var last uint64
	for _, name := range names {
		if n, ok := storeNumber(name); ok {
			last = max(last, n)
		}
	}
	return storePrefix + strconv.FormatUint(last+1, 10), nil
}

// copyStore copies a store that is not open. Tables never change and are linked; everything else Pebble may write again.
func copyStore(ctx context.Context, fs vfs.FS, from, to string) error {
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
		src, dst := fs.PathJoin(from, name), fs.PathJoin(to, name)
		switch {
		case name == lockName:
			continue
		case strings.HasSuffix(name, ".sst"):
			err = vfs.LinkOrCopy(fs, src, dst)
		default:
			err = vfs.Copy(fs, src, dst)
		}
		if err != nil {
			return err
		}
	}
	return syncDir(fs, to)
}

// MakeCurrent makes the store the one that the database opens with from now on, atomically and durably, with all that was
// committed to it. The store that was live until then is left to be closed; it goes at the next open.
func (s *Store) MakeCurrent() error {
	if err := s.enterWrite(); err != nil {
		return err
	}
	defer s.gate.leave()
	err := s.health.run(s.what("switch"), func() error { return s.db.LogData(nil, pebble.Sync) })
	if err != nil {
		return err
	}
	return s.root.writeCurrent(s.root.fs.PathBase(s.dir))
}
