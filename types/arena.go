package types

import "unsafe"

// Arena holds the bytes of a batch's texts and blobs. Reset lets them be overwritten: values made before it are invalid after it.
type Arena struct{ buf []byte }

// Reset forgets everything in the arena and keeps its memory.
func (a *Arena) Reset() { a.buf = a.buf[:0] }

// Bytes is the size of the memory that the arena holds on to.
func (a *Arena) Bytes() int { return cap(a.buf) }

// Copy puts b into the arena and gives the copy. When the arena grows, copies made before keep the old memory and stay valid.
func (a *Arena) Copy(b []byte) []byte {
	if len(a.buf)+len(b) > cap(a.buf) {
		a.buf = make([]byte, 0, max(2*cap(a.buf), len(b), 4096))
	}
	from := len(a.buf)
	a.buf = append(a.buf, b...)
	return a.buf[from:len(a.buf):len(a.buf)]
}

// Text puts the bytes of a text into the arena; they must be valid UTF-8.
func (a *Arena) Text(b []byte) Value {
	c := a.Copy(b)
	return Text(unsafe.String(unsafe.SliceData(c), len(c)))
}

// Blob puts the bytes of a blob into the arena.
func (a *Arena) Blob(b []byte) Value { return Blob(a.Copy(b)) }
