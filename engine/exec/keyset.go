package exec

import (
	"slices"

	"github.com/quereus/quereus-migrate/vtab/kv"
)

// keySet is a set of keys that answers at once. Beyond the budget it goes on in files, sorted and with a filter, so that asking
// for an absent key seldom reads one.
type keySet struct {
	budget int64
	dir    spillDir
	mem    map[string]struct{}
	bytes  int64
	runs   []*kv.Run
	iters  []*kv.RunIter
}

func (s *keySet) start(ec *Context) error {
	err := s.close()
	s.budget, s.dir = ec.budget(), ec.spillDir()
	return err
}

// has reports whether the key is in the set.
func (s *keySet) has(key []byte) (bool, error) {
	if _, ok := s.mem[string(key)]; ok {
		return true, nil
	}
	for _, it := range s.iters {
		if it.Probe(key) {
			return true, nil
		}
		if err := it.Err(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// add puts a key into the set and reports whether it was new.
func (s *keySet) add(key []byte) (isNew bool, err error) {
	if found, err := s.has(key); found || err != nil {
		return false, err
	}
	if s.mem == nil {
		s.mem = map[string]struct{}{}
	}
	s.mem[string(key)] = struct{}{}
	if s.bytes += int64(len(key)) + keyOverhead; s.bytes < s.budget {
		return true, nil
	}
	return true, s.spill()
}

func (s *keySet) spill() error {
	keys := make([]string, 0, len(s.mem))
	for k := range s.mem {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	w, err := s.dir.create(int64(len(keys)))
	if err != nil {
		return err
	}
	for _, k := range keys {
		if err := w.Set(bytesOf(k), nil); err != nil {
			w.Abort()
			return err
		}
	}
	run, err := w.Finish()
	if err != nil {
		return err
	}
	s.runs = append(s.runs, run)
	s.iters = append(s.iters, run.NewIter(kv.Span{}))
	clear(s.mem)
	s.bytes = 0
	return nil
}

func (s *keySet) close() error {
	err := closeRuns(s.runs)
	s.mem = emptied(s.mem)
	s.bytes, s.runs, s.iters = 0, nil, nil
	return err
}
