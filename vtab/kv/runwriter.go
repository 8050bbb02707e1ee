package kv

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"syscall"

	"github.com/quereus/quereus-migrate/types"
)

// A run file is a sequence of blocks. A block is entries, then their CRC-32C in four bytes. An entry is the length of its
// key, the length of its value shifted left by two with the flags below, both as varints, then key and value. Where blocks
// begin and which key comes first in each stays in memory: a run does not outlive the process.
const (
	runBlock    = 32 << 10 // a block ends with the entry that reaches this size
	runDeleted  = 1 << 0   // a tombstone
	runNoBase   = 1 << 1   // see memtree.Record.NoBase
	runFlagBits = 2
	runCRC      = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// RunWriter writes a run: a temporary file of entries in key order. One goroutine uses it; the first error stays and is the
// answer of every later call. It ends with Finish or Abort.
type RunWriter struct {
	run   *Run
	out   *bufio.Writer
	block []byte
	first []byte // first key of the block
	last  []byte // last key written
	err   error
	done  bool
}

// NewRunWriter makes a run in dir, which is Store.TempDir's for most. Who knows how many entries will come tells it in keys,
// and gets a filter that makes Run.Get of absent keys fast, at 10 bits a key in memory; 0 makes none.
func NewRunWriter(dir string, keys int64) (*RunWriter, error) {
	f, err := os.CreateTemp(dir, "run-*")
	if err != nil {
		return nil, spillError("cannot make a temporary file in "+dir, err)
	}
	r := &Run{file: f, name: f.Name()}
	// Without a name the file vanishes with the process, however that ends. Systems that cannot remove an open file keep
	// it until Close.
	if os.Remove(r.name) == nil {
		r.unlinked = true
	}
	if keys > 0 {
		r.filter = newFilter(keys)
	}
	return &RunWriter{run: r, out: bufio.NewWriterSize(f, 4*runBlock)}, nil
}

// Set adds an entry. Keys must not fall; equal ones stay in the order in which they came.
func (w *RunWriter) Set(key, value []byte) error { return w.add(key, value, 0) }

// Delete adds a tombstone.
func (w *RunWriter) Delete(key []byte) error { return w.add(key, nil, runDeleted) }

// Bytes is the size of the run so far.
func (w *RunWriter) Bytes() int64 { return w.run.size + int64(len(w.block)) }

func (w *RunWriter) add(key, value []byte, flags uint64) error {
	if w.err != nil {
		return w.err
	}
	if w.done {
		return w.fail(types.Errorf(types.MISUSE, "the run is finished"))
	}
	r := w.run
	if r.len > 0 && bytes.Compare(key, w.last) < 0 {
		return w.fail(types.Errorf(types.MISUSE, "keys of a run must not fall: %x after %x", key, w.last))
	}
	if r.len == 0 {
		r.first = bytes.Clone(key)
	}
	if len(w.block) == 0 {
		w.first = append(w.first[:0], key...)
	}
	w.last = append(w.last[:0], key...)
	w.block = binary.AppendUvarint(w.block, uint64(len(key)))
	w.block = binary.AppendUvarint(w.block, uint64(len(value))<<runFlagBits|flags)
	w.block = append(w.block, key...)
	w.block = append(w.block, value...)
	r.len++
	if r.filter != nil {
		r.filter.add(key)
	}
	if len(w.block) >= runBlock {
		return w.flush()
	}
	return nil
}

func (w *RunWriter) flush() error {
	r := w.run
	w.block = binary.LittleEndian.AppendUint32(w.block, crc32.Checksum(w.block, castagnoli))
	if _, err := w.out.Write(w.block); err != nil {
		return w.fail(spillError("cannot write a temporary file", err))
	}
	r.blocks = append(r.blocks, runBlockInfo{first: bytes.Clone(w.first), at: r.size, len: len(w.block)})
	r.size += int64(len(w.block))
	w.block = w.block[:0]
	return nil
}

func (w *RunWriter) fail(err error) error {
	w.err = err
	return err
}

// Finish gives the run, which its receiver closes. On an error the file is gone.
func (w *RunWriter) Finish() (*Run, error) {
	if w.err == nil && w.done {
		w.err = types.Errorf(types.MISUSE, "the run is finished")
	}
	if w.err == nil && len(w.block) > 0 {
		w.err = w.flush()
	}
	if w.err == nil {
		if err := w.out.Flush(); err != nil {
			w.err = spillError("cannot write a temporary file", err)
		}
	}
	if w.err != nil {
		w.Abort()
		return nil, w.err
	}
	w.done = true
	w.run.last = w.last
	return w.run, nil
}

// Abort removes the file; after Finish it does nothing.
func (w *RunWriter) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	return w.run.Close()
}

// spillError puts a failure of a temporary file into our codes.
func spillError(what string, err error) error {
	code := types.IOERR
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		code = types.FULL
	}
	return &types.Error{Code: code, Message: what + ": " + err.Error(), Cause: err}
}
