package pebble

import (
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options are the options of Open. The zero value opens an existing database of the operating system's files.
type Options struct {
	// FS is the file system; the operating system's when nil.
	FS vfs.FS
	// Create makes the database when its directory does not exist, is empty, or holds the remains of an interrupted creation.
	Create bool
	// ReadOnly refuses every write. The lock is taken all the same: Pebble admits one process, also to read.
	ReadOnly bool
	// Beside opens a copy of the files as they are at one moment, to read only. It takes no lock and hinders nobody, so the database may be
	// open elsewhere, and its directory need not be writable.
	Beside bool
	// AcceptLoss opens a store of which it is known that synced commits are lost (CORRUPT, else), with what is left.
	AcceptLoss bool
	// OrReadOnly makes engine.OpenDir open a database to read only that cannot be opened otherwise because nothing can be written. Writes are
	// answered with the reason then.
	OrReadOnly bool
	// Unwritable is what writes to a database that is open to read only are answered with; READONLY when nil.
	Unwritable error
	// Command is what HOLDER, and so the BUSY error of others, says of this process; the name of the program when empty.
	Command string
	// CacheBytes is the size of the cache of uncompressed blocks; 64 MiB when 0.
	CacheBytes int64
	// MemTableBytes is how much of committed writes is kept in memory, beside the log, before it is written to a table; 16 MiB when 0.
	// Up to four times as much can wait.
	MemTableBytes int64
	// StallLimit is how long a write waits while tables cannot be written; 10 s when 0.
	StallLimit time.Duration
}

func (o Options) withDefaults() Options {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 64 << 20
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = 16 << 20
	}
	if o.StallLimit == 0 {
		o.StallLimit = 10 * time.Second
	}
	return o
}

// formatMajorVersion is Pebble's format of new databases; see the package comment.
const formatMajorVersion = pebble.FormatTableFormatV6

// pebbleOptions gives what Pebble is opened with.
func (o Options) pebbleOptions(f *fence) *pebble.Options {
	p := &pebble.Options{
		FS:                 f,
		ReadOnly:           o.ReadOnly,
		Comparer:           pebble.DefaultComparer,
		FormatMajorVersion: formatMajorVersion,
		Logger:             logger{f.health},
		LoggerAndTracer:    logger{f.health},
		EventListener:      listener(f.health),
		CacheSize:          o.CacheBytes,
		MemTableSize:       uint64(o.MemTableBytes),

		MemTableStopWritesThreshold: 4,
		// Merge early: a read asks every sublevel of L0, and two cores can afford the work between commits.
		L0CompactionThreshold: 2,
		L0StopWritesThreshold: 32,
		LBaseMaxBytes:         64 << 20,
		// One compaction at a time leaves a core to the user; a second one runs when L0 piles up.
		CompactionConcurrencyRange: func() (int, int) { return 1, 2 },
		// Big commits write the log faster than it is synced; this spreads the work.
		WALBytesPerSync: 1 << 20,
	}
	p.Experimental.L0CompactionConcurrency = 4
	// Reads that rearrange tables would make the speed of one query depend on those before it.
	p.Experimental.ReadSamplingMultiplier = -1
	for i := range p.Levels {
		p.Levels[i] = pebble.LevelOptions{
			BlockSize:      32 << 10, // scans and compression gain more than single reads lose
			IndexBlockSize: 256 << 10,
			FilterPolicy:   bloom.FilterPolicy(10),
			Compression:    func() *sstable.CompressionProfile { return sstable.FastestCompression },
		}
	}
	p.EnsureDefaults()
	return p
}

// listener passes on what becomes of background work.
func listener(h *health) *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: h.backgroundError,
		FlushEnd:        func(i pebble.FlushInfo) { h.flushEnd(i.Err) },
		CompactionEnd:   func(i pebble.CompactionInfo) { h.compactionEnd(i.Err) },
		// The reader that met the damage gets it as its error; Pebble's default ends the process.
		DataCorruption: func(pebble.DataCorruptionInfo) {},
	}
}
