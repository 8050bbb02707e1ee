package pebble

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/kvtest"
	"github.com/stretchr/testify/require"
)

// step writes state n behind state n-1: its number, an entry of its own, and now and then bulk files and cleared spans. In state n there are
// the entries 1 to n, and the last bulk file alone.
func step(s *Store, n int) error {
	b := s.NewBatch()
	if err := b.Set([]byte("n"), []byte(strconv.Itoa(n))); err != nil {
		return err
	}
	if err := b.Set(fmt.Appendf(nil, "entry%06d", n), make([]byte, 300)); err != nil {
		return err
	}
	if n%20 == 0 {
		if err := s.Clear(context.Background(), []kv.Span{kv.PrefixSpan([]byte("bulk"))}); err != nil {
			return err
		}
		w, err := s.NewBulkWriter()
		if err != nil {
			return err
		}
		if err := w.Set(fmt.Appendf(nil, "bulk%06d", n), []byte("1")); err != nil {
			return err
		}
		f, err := w.Finish()
		if err != nil {
			return err
		}
		if err := s.Ingest(context.Background(), []kv.BulkFile{f}); err != nil {
			return err
		}
	}
	return s.Commit(b, true)
}

// stateOf reads which state a store shows, and checks that it shows nothing but that one.
func stateOf(t *testing.T, s *Store) int {
	text, found, err := s.Get([]byte("n"), nil)
	require.NoError(t, err)
	if !found {
		return 0
	}
	n, err := strconv.Atoi(string(text))
	require.NoError(t, err)
	require.Len(t, kvtest.Dump(t, s, kv.PrefixSpan([]byte("entry"))), n)
	if n >= 20 {
		bulk := strings.Join(kvtest.Dump(t, s, kv.PrefixSpan([]byte("bulk"))), " ")
		allowed := []string{fmt.Sprintf("bulk%06d=1", n/20*20)}
		if (n+1)%20 == 0 { // the next one may be on its way
			allowed = append(allowed, "", fmt.Sprintf("bulk%06d=1", n+1))
		}
		require.Contains(t, allowed, bulk, "state %d", n)
	}
	return n
}

func openBesideOf(t *testing.T, dir string, o Options) *Store {
	o.Beside = true
	s, err := Open(dir, o)
	require.NoError(t, err)
	return s
}

// What is read beside a writer is one of its states, and stays it.
func TestBesideAWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	s, err := Open(dir, Options{Create: true, MemTableBytes: 64 << 10})
	require.NoError(t, err)
	var done atomic.Int64
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if err := step(s, n); err != nil {
				stopped <- err
				return
			}
			done.Store(int64(n))
		}
	}()
	for range 15 {
		least := int(done.Load())
		r := openBesideOf(t, dir, Options{})
		n := stateOf(t, r)
		require.GreaterOrEqual(t, n, least)
		require.Equal(t, "READONLY", code(commit(r, true, 1, 1, "x")))
		require.Equal(t, n, stateOf(t, r))
		require.NoError(t, r.Close())
		require.NoDirExists(t, filepath.Join(dir, readersName))
	}
	close(stop)
	require.NoError(t, <-stopped)
	last := stateOf(t, s)
	require.Equal(t, int(done.Load()), last)
	require.NoError(t, s.Close())
	r := openBesideOf(t, dir, Options{})
	require.Equal(t, last, stateOf(t, r), "and of a database that nobody has open")
	require.NoError(t, r.Close())
	s, err = Open(dir, Options{})
	require.NoError(t, err)
	require.Equal(t, last, stateOf(t, s))
	require.NoError(t, s.Verify(context.Background(), func(file string, err error) { t.Errorf("%s: %v", file, err) }))
	require.NoError(t, s.Close())
}

// TestWritingProcess is the other process of TestBesideAnotherProcess.
func TestWritingProcess(t *testing.T) {
	dir := os.Getenv("KV_WRITE")
	if dir == "" {
		t.Skip("runs as the other process of TestBesideAnotherProcess")
	}
	s, err := Open(dir, Options{Create: true, MemTableBytes: 64 << 10})
	for n := 1; err == nil; n++ {
		if err = step(s, n); err == nil {
			fmt.Println("done", n)
		}
	}
	fmt.Println("failed:", err)
}

// A process that writes without pause is read beside, again and again, and does not notice; what it acknowledged is there.
func TestBesideAnotherProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	other := exec.Command(os.Args[0], "-test.run=^TestWritingProcess$", "-test.v")
	other.Env = append(os.Environ(), "KV_WRITE="+dir)
	out, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	var done atomic.Int64
	ready, ended := make(chan struct{}), make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		failure := ""
		for lines.Scan() {
			if n, ok := strings.CutPrefix(lines.Text(), "done "); ok {
				v, _ := strconv.Atoi(n)
				if done.Swap(int64(v)) == 0 {
					close(ready)
				}
			} else if strings.HasPrefix(lines.Text(), "failed") {
				failure = lines.Text()
			}
		}
		ended <- failure
	}()
	<-ready
	for range 5 {
		_, err := Open(dir, Options{})
		require.Equal(t, "BUSY", code(err), "the writer keeps its lock")
		least := int(done.Load())
		r := openBesideOf(t, dir, Options{})
		require.GreaterOrEqual(t, stateOf(t, r), least)
		require.NoError(t, r.Close())
	}
	require.NoError(t, other.Process.Kill())
	require.Empty(t, <-ended)
	_ = other.Wait() // it was killed
	r := openBesideOf(t, dir, Options{})
	n := stateOf(t, r)
	require.GreaterOrEqual(t, n, int(done.Load()))
	require.NoError(t, r.Close())
	s, err := Open(dir, Options{})
	require.NoError(t, err)
	require.Equal(t, n, stateOf(t, s))
	require.NoError(t, s.Close())
}

// A directory that is not writable is read through a copy elsewhere.
func TestBesideWhereNothingCanBeWritten(t *testing.T) {
	top := t.TempDir()
	dir, temp := filepath.Join(top, "db"), filepath.Join(top, "temp")
	require.NoError(t, os.Mkdir(temp, 0o700))
	t.Setenv("TMPDIR", temp)
	if runtime.GOOS == "windows" {
		t.Setenv("TMP", temp)
	}
	s, err := Open(dir, Options{Create: true})
	require.NoError(t, err)
	for n := range 45 {
		require.NoError(t, step(s, n+1))
	}
	require.NoError(t, s.Close())
	var refused atomic.Int64
	fs := errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if strings.HasPrefix(op.Path, dir) && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			refused.Add(1)
			return &os.PathError{Op: "write", Path: op.Path, Err: syscall.EACCES}
		}
		return nil
	}))
	r := openBesideOf(t, dir, Options{FS: fs})
	require.NotZero(t, refused.Load())
	require.Equal(t, 45, stateOf(t, r))
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.NotEmpty(t, left)
	require.NoError(t, r.Close())
	left, err = os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Directories of readers that were killed go at the next open; that of one that reads stays.
func TestLeftReadersAreSwept(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, fs)
	kvtest.Put(t, s, "a", "1")
	require.NoError(t, s.Close())
	r := openBesideOf(t, "db", Options{FS: fs})
	write(t, fs, "db/readers/1-1/LOCK", "")
	write(t, fs, "db/readers/1-1/store-1/000001.sst", "left over")
	require.Len(t, list(t, fs, "db/readers"), 2)
	s = mustOpen(t, fs)
	require.Len(t, list(t, fs, "db/readers"), 1)
	kvtest.Put(t, s, "a", "2")
	require.Equal(t, []string{"a=1"}, kvtest.Dump(t, r, kv.Span{}))
	require.NoError(t, r.Close())
	require.NotContains(t, list(t, fs, "db"), "readers")
	require.NoError(t, s.Close())
}

// What cannot be opened is not opened beside either.
func TestBesideRefusals(t *testing.T) {
	fs := vfs.NewMem()
	_, err := Open("db", Options{FS: fs, Beside: true})
	require.Equal(t, "CANTOPEN", code(err))
	s := mustOpen(t, fs)
	kvtest.Put(t, s, "a", "1")
	require.NoError(t, s.Close())
	write(t, fs, "db/CURRENT", "quereus-migrate format 1\nstore-9\n")
	_, err = Open("db", Options{FS: fs, Beside: true})
	require.Equal(t, "CORRUPT", code(err), "%v", err)
	require.NotContains(t, list(t, fs, "db"), "readers")
}

// The number of the first log that is needed is read from the manifest, so that logs which lie in tables are left alone.
func TestFlushedLogsAreNotNeeded(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, err := Open("db", Options{FS: fs, Create: true, MemTableBytes: 64 << 10})
	require.NoError(t, err)
	for i := range 40 {
		require.NoError(t, commit(s, true, 10, 2000, fmt.Sprintf("%03d-", i)))
	}
	require.NoError(t, s.db.Flush())
	last := ""
	for _, name := range list(t, fs, "db/store-1") {
		if isLog(name) {
			last = name
		}
	}
	image := killed(fs)
	m := &moment{r: &root{fs: image, dir: "db"}}
	st, err := m.look()
	require.NoError(t, err)
	require.Equal(t, logNumber(last), minUnflushed(image, "db/store-1/"+st.manifest))
	require.NoError(t, s.Close())
	for _, name := range list(t, image, "db/store-1") {
		if isLog(name) && name != last {
			write(t, image, "db/store-1/"+name, "damaged")
		}
	}
	s, err = Open("db", Options{FS: image})
	require.NoError(t, err)
	require.Len(t, kvtest.Dump(t, s, kv.Span{}), 400)
	require.NoError(t, s.Close())
}
