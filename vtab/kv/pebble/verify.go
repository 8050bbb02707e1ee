package pebble

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/quereus/quereus-migrate/vtab/kv"
)

var _ kv.Verifier = (*Store)(nil)

// Verify implements kv.Verifier: it reads every block of every table and tests its checksum, also of those that no read asks for, like
// filters and entries that are overwritten.
func (s *Store) Verify(ctx context.Context, report func(file string, err error)) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.gate.leave()
	names, err := s.tables()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := kv.Interrupted(ctx); err != nil {
			return err
		}
		err := s.verifyTable(ctx, s.root.fs.PathJoin(s.dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			// Compactions may have done away with it since.
			left, e := s.tables()
			if e != nil {
				return e
			}
			if !slices.Contains(left, name) {
				continue
			}
		}
		if err != nil {
			report(s.root.fs.PathJoin(s.root.fs.PathBase(s.dir), name), errors.New(said(err)))
		}
	}
	return nil
}

// tables lists the files of the live tables, in order.
func (s *Store) tables() ([]string, error) {
	levels, err := s.db.SSTables()
	if err != nil {
		return nil, s.wrap(err, "list the tables")
	}
	var names []string
	for _, level := range levels {
		for _, t := range level {
			names = append(names, t.BackingSSTNum.String()+".sst")
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (s *Store) verifyTable(ctx context.Context, path string) error {
	f, err := s.root.fs.Open(path)
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r, err := sstable.NewReader(ctx, readable, s.options.MakeReaderOptions())
	if err != nil {
		return errors.Join(err, readable.Close())
	}
	return errors.Join(r.ValidateBlockChecksums(), r.Close())
}
