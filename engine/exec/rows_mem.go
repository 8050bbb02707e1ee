package exec

import (
	"unsafe"

	"github.com/quereus/quereus-migrate/types"
)

// rowStore keeps rows of one width in memory of its own: values in slabs, texts and blobs in chunks. Rows stay valid until reset.
type rowStore struct {
	width int
	rows  []types.Row
	slab  []types.Value // what is left of the newest slab
	chunk []byte        // the newest chunk; len is what is used
	bytes int64
}

const (
	slabValues = 2048
	chunkBytes = 32 << 10
	valueBytes = int64(unsafe.Sizeof(types.Value{}))
	// heapBytes is what a big integer or a JSON document is taken to weigh.
	heapBytes = 256
)

// reset forgets all rows. Their memory is given up, as somebody may still look at it.
func (s *rowStore) reset(width int) { *s = rowStore{width: width, rows: s.rows[:0]} }

// recycle forgets all rows and uses their memory again: nobody looks at them any more.
func (s *rowStore) recycle() {
	s.rows, s.chunk, s.bytes = s.rows[:0], s.chunk[:0], 0
}

// add copies a row of the store's width, or the first columns of a wider one.
func (s *rowStore) add(row types.Row) types.Row {
	out := s.blank()
	for i := range out {
		out[i] = s.keep(row[i])
	}
	return out
}

// blank appends a row of NULLs, to be filled with what keep gives.
func (s *rowStore) blank() types.Row {
	if len(s.slab) < s.width || s.slab == nil {
		few := max(2*len(s.rows), 4) * s.width // the first slabs are small: most stores hold a few rows
		s.slab = make([]types.Value, max(1, s.width, min(few, slabValues)))
	}
	row := types.Row(s.slab[:s.width:s.width])
	s.slab = s.slab[s.width:]
	s.rows = append(s.rows, row)
	s.bytes += int64(s.width)*valueBytes + int64(unsafe.Sizeof(row))
	return row
}

// keep copies the memory of a text or blob into the store.
func (s *rowStore) keep(v types.Value) types.Value {
	switch v.Kind() {
	case types.KindText:
		b := s.copy(bytesOf(v.Str()))
		return types.Text(unsafe.String(unsafe.SliceData(b), len(b)))
	case types.KindBlob:
		return types.Blob(s.copy(v.Bytes()))
	case types.KindJSON:
		s.bytes += heapBytes
	case types.KindInteger:
		if v.IsBig() {
			s.bytes += heapBytes
		}
	}
	return v
}

func (s *rowStore) copy(b []byte) []byte {
	if len(s.chunk)+len(b) > cap(s.chunk) {
		few := max(2*s.bytes, 256)
		s.chunk = make([]byte, 0, max(min(int(few), chunkBytes), len(b)))
	}
	from := len(s.chunk)
	s.chunk = append(s.chunk, b...)
	s.bytes += int64(len(b))
	return s.chunk[from:len(s.chunk):len(s.chunk)]
}
