package pebble

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/quereus/quereus-migrate/types"
)

// The record of what was synced. Pebble takes the end of a log, wherever it is, for the trace of a crash: a log that was cut off, or
// is gone, loses commits in silence. So a store has a file, SYNCED, that says how far each log and the manifest were synced at least. It is
// written after each sync and not synced itself, so it costs a commit one small write; what a crash leaves of it says less than the truth, or
// as much, and never more. Only before a log is removed or used again it is synced, without that log.
//
// The file has two slots, written in turn, so that a crash leaves one of them whole. A release that does not know the file leaves it as it is:
// the record names the file of options that Pebble writes at each open, and counts only while that is the newest.

const (
	syncedName = "SYNCED"
	slotSize   = 4096
)

// syncedState is what the record says.
type syncedState struct {
	generation uint64
	// options is the file of options of the session that wrote it.
	options string
	// files are how far files of the store were synced, in order of their names.
	files []syncedFile
}

type syncedFile struct {
	name   string
	synced int64
}

func compareSynced(f syncedFile, name string) int { return cmp.Compare(f.name, name) }

func isLog(name string) bool      { return strings.HasSuffix(name, ".log") }
func isManifest(name string) bool { return strings.HasPrefix(name, "MANIFEST-") }

// appendSlot appends the form on disk: CRC-32C of what follows its length, length, generation, options, files.
func (s *syncedState) appendSlot(b []byte) []byte {
	b = append(b, make([]byte, 6)...)
	b = binary.AppendUvarint(b, s.generation)
	b = appendText(b, s.options)
	b = binary.AppendUvarint(b, uint64(len(s.files)))
	for _, f := range s.files {
		b = appendText(b, f.name)
		b = binary.AppendUvarint(b, uint64(f.synced))
	}
	binary.LittleEndian.PutUint16(b[4:], uint16(len(b)-6))
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[6:], castagnoli))
	return b
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// readSlot reads a slot; false when it is not whole.
func readSlot(b []byte) (s syncedState, ok bool) {
	if len(b) < 6 {
		return s, false
	}
	n := int(binary.LittleEndian.Uint16(b[4:]))
	if n == 0 || len(b) < 6+n || crc32.Checksum(b[6:6+n], castagnoli) != binary.LittleEndian.Uint32(b) {
		return s, false
	}
	r := slotReader{rest: b[6 : 6+n]}
	s.generation, s.options = r.number(), r.text()
	for count := r.number(); count > 0 && !r.bad; count-- {
		s.files = append(s.files, syncedFile{r.text(), int64(r.number())})
	}
	return s, !r.bad
}

type slotReader struct {
	rest []byte
	bad  bool
}

func (r *slotReader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *slotReader) text() string {
	n := r.number()
	if r.bad || n > uint64(len(r.rest)) {
		r.bad = true
		return ""
	}
	text := string(r.rest[:n])
	r.rest = r.rest[n:]
	return text
}

// readSynced reads the newer whole slot; false when there is none.
func readSynced(f io.ReaderAt) (newest syncedState, ok bool, err error) {
	b := make([]byte, 2*slotSize)
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return newest, false, err
	}
	for at := 0; at < n; at += slotSize {
		if s, whole := readSlot(b[at:min(n, at+slotSize)]); whole && (!ok || s.generation > newest.generation) {
			newest, ok = s, true
		}
	}
	return newest, ok, nil
}

// synced keeps the record of an open store. It is safe for concurrent use.
type synced struct {
	mu      sync.Mutex
	file    vfs.File
	state   syncedState
	settled bool // logs hold nothing any more that is not in tables
	buf     []byte
}

// openSynced opens the record of a store to go on with it, or makes it.
func openSynced(fs vfs.FS, dir string) (*synced, error) {
	f, err := fs.OpenReadWrite(fs.PathJoin(dir, syncedName), vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	s := &synced{file: f}
	var ok bool
	if s.state, ok, err = readSynced(f); err == nil && !ok {
		if err = s.write(); err == nil {
			err = f.Sync()
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// write writes the state into the slot whose turn it is. The caller holds mu.
func (s *synced) write() error {
	s.state.generation++
	s.buf = s.state.appendSlot(s.buf[:0])
	if len(s.buf) > slotSize {
		return types.Errorf(types.INTERNAL, "the record of %d synced files is too long", len(s.state.files))
	}
	_, err := s.file.WriteAt(s.buf, int64(s.state.generation%2)*slotSize)
	return err
}

// note notes that a file is synced up to a length. That the record cannot be written does no harm: it says less than it could.
func (s *synced) note(name string, length int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.settled && isLog(name) {
		return
	}
	at, found := slices.BinarySearchFunc(s.state.files, name, compareSynced)
	if !found {
		s.state.files = slices.Insert(s.state.files, at, syncedFile{name: name})
	}
	s.state.files[at].synced = max(s.state.files[at].synced, length)
	_ = s.write()
}

// forget makes durable that nothing is known of a log any more, which may then go. Of other files nobody asks once they are gone.
func (s *synced) forget(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, found := slices.BinarySearchFunc(s.state.files, name, compareSynced)
	if !found {
		return nil
	}
	kept := slices.Clone(s.state.files)
	s.state.files = slices.Delete(s.state.files, at, at+1)
	if !isLog(name) {
		return nil
	}
	err := s.write()
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		s.state.files = kept
	}
	return err
}

// begin notes the file of options that the session has made.
func (s *synced) begin(options string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.options = options
	_ = s.write()
}

// settle notes that everything lies in tables: no log is needed any more.
func (s *synced) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled = true
	s.state.files = slices.DeleteFunc(s.state.files, func(f syncedFile) bool { return isLog(f.name) })
	_ = s.write()
}

func (s *synced) close() error { return s.file.Close() }

// checkSynced refuses a store of whose logs or manifest something is missing that was synced. A store without a record, or with one that
// another release has outdated, is taken as it is.
func checkSynced(r *root, dir string, desc *pebble.DBDesc) error {
	what := "cannot open database " + r.dir
	f, err := r.fs.Open(r.fs.PathJoin(dir, syncedName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wrapOpen(err, what)
	}
	state, ok, err := readSynced(f)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil || !ok {
		return wrap(err, what)
	}
	if r.fs.PathBase(desc.OptionsFilename) != state.options {
		return nil
	}
	manifest, flushed := r.fs.PathBase(desc.ManifestFilename), minUnflushed(r.fs, desc.ManifestFilename)
	for _, file := range state.files {
		if isLog(file.name) && logNumber(file.name) < flushed || !isLog(file.name) && file.name != manifest {
			continue // a log that is not needed any more; a manifest that was, or was to be, the current one
		}
		if err := checkSyncedFile(r, dir, file); err != nil {
			return err
		}
	}
	return nil
}

func checkSyncedFile(r *root, dir string, file syncedFile) error {
	lost := func(format string, args ...any) error {
		return &types.Error{
			Code: types.CORRUPT,
			Message: fmt.Sprintf("cannot open database %s: the store is damaged: %s: commits are lost", r.dir,
				fmt.Sprintf(format, args...)),
			Hint: "restore a backup, or save what is left with repair",
		}
	}
	f, err := r.fs.Open(r.fs.PathJoin(dir, file.name))
	if errors.Is(err, fs.ErrNotExist) {
		return lost("%s is missing", file.name)
	}
	if err != nil {
		return wrapOpen(err, "cannot open database "+r.dir)
	}
	defer f.Close()
	readable, slack := readableLength(f, file.name)
	if readable+slack < file.synced {
		return lost("%s can be read to byte %d, and was synced to byte %d", file.name, readable, file.synced)
	}
	return nil
}

const (
	blockSize = 32 << 10 // of logs and manifests
	// A chunk of a log has a header of 19 bytes, one of a manifest 7. What is shorter than that at the end of a block is filled up, and
	// shorter than it is the mark behind the last record of a log.
	logHeader, manifestHeader = 19, 7
)

// readableLength gives up to where a log or manifest has whole chunks, and how many bytes may follow that hold nothing.
func readableLength(f io.Reader, name string) (length, slack int64) {
	number, header := uint64(0), int64(manifestHeader)
	if isLog(name) {
		header = logHeader
		number = logNumber(name)
	}
	r := newRecordReader(record.NewReader, f, number)
	buf := make([]byte, blockSize)
	for {
		chunks, err := r.Next()
		for err == nil {
			length = r.Offset()
			_, err = chunks.Read(buf)
		}
		if err != io.EOF || chunks == nil {
			break
		}
		length = r.Offset()
	}
	if left := blockSize - length%blockSize; left < header {
		length += left
	}
	return length, header - 1
}

// newRecordReader calls a function of Pebble's whose parameter has a type that cannot be named here.
func newRecordReader[N ~uint64](open func(io.Reader, N) *record.Reader, f io.Reader, number uint64) *record.Reader {
	return open(f, N(number))
}
