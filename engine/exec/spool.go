package exec

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// spool keeps rows in the order in which they come and gives them out any number of times: the first ones from memory, those
// beyond the budget from a temporary file.
type spool struct {
	mem    rowStore
	budget int64
	dir    spillDir
	out    *kv.RunWriter // being written
	run    *kv.Run       // finished
	spilt  int64         // rows in the file
	buf    []byte
}

// start empties the spool for rows of a width.
func (s *spool) start(ec *Context, width int) error {
	err := s.close()
	s.mem.reset(width)
	s.budget, s.dir = ec.budget(), ec.spillDir()
	return err
}

// add appends a copy of a row.
func (s *spool) add(row types.Row) error {
	if s.out == nil && s.mem.bytes < s.budget {
		s.mem.add(row)
		return nil
	}
	if s.out == nil {
		var err error
		if s.out, err = s.dir.create(0); err != nil {
			return err
		}
	}
	s.buf = appendRow(s.buf[:0], row[:s.mem.width])
	s.spilt++
	return s.out.Set(nil, s.buf)
}

// finish ends the adding; the rows may be read from now on.
func (s *spool) finish() (err error) {
	if s.out != nil {
		s.run, err = s.out.Finish()
		s.out = nil
	}
	return err
}

// len is the number of rows.
func (s *spool) len() int64 { return int64(len(s.mem.rows)) + s.spilt }

// close drops all rows and the file.
func (s *spool) close() (err error) {
	if s.out != nil {
		err = s.out.Abort()
		s.out = nil
	}
	if s.run != nil {
		err = s.run.Close()
		s.run = nil
	}
	s.spilt = 0
	s.mem.reset(s.mem.width)
	return err
}

// spoolReader reads a spool from its beginning.
type spoolReader struct {
	s  *spool
	at int
	it *runReader
}

// read gives a reader. Several may read at once.
func (s *spool) read() spoolReader { return spoolReader{s: s} }

// next gives the next row, nil at the end. A row from memory is valid as long as the spool, one from the file until the next call.
func (r *spoolReader) next() (types.Row, error) {
	if r.at < len(r.s.mem.rows) {
		r.at++
		return r.s.mem.rows[r.at-1], nil
	}
	if r.s.run == nil {
		return nil, nil
	}
	if r.it == nil {
		r.it = newRunReader(r.s.run, r.s.mem.width)
	}
	return r.it.next()
}

// stretch gives up to n rows from memory at once, none when all of those have been given.
func (r *spoolReader) stretch(n int) []types.Row {
	from := r.at
	r.at = min(from+n, len(r.s.mem.rows))
	return r.s.mem.rows[from:r.at]
}

// runReader reads the rows of a file in their order.
type runReader struct {
	it    *kv.RunIter
	row   types.Row
	arena types.Arena
	begun bool
}

func newRunReader(run *kv.Run, width int) *runReader {
	return &runReader{it: run.NewIter(kv.Span{}), row: make(types.Row, width)}
}

// next gives the next row, nil at the end; it is valid until the next call.
func (r *runReader) next() (types.Row, error) {
	ok := false
	if r.begun {
		ok = r.it.Next()
	} else {
		ok = r.it.First()
		r.begun = true
	}
	if !ok {
		return nil, r.it.Err()
	}
	r.arena.Reset()
	return r.row, decodeRow(r.row, r.it.Value(), &r.arena)
}

// appendRow appends the values of a row as a spilled row holds them.
func appendRow(dst []byte, row types.Row) []byte {
	for _, v := range row {
		dst = catalog.AppendValue(dst, v)
	}
	return dst
}

// decodeRow reads a spilled row; its texts and blobs are put into the arena.
func decodeRow(row types.Row, b []byte, arena *types.Arena) (err error) {
	for i := range row {
		if row[i], b, err = catalog.DecodeValueArena(b, arena); err != nil {
			return err
		}
	}
	return nil
}
