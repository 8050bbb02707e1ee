// Package pebble is the key-value store on disk, over Pebble. It is the only package that knows Pebble.
//
// # The directory of a database
//
//	LOCK       held by the process that has the database open; empty
//	HOLDER     who that is: pid, start time, command. It only informs; it may be missing or old
//	CURRENT    which store is the live one
//	store-N/   a Pebble store
//	undo/N/    checkpoint N: a store that is never opened in place, only copied
//	readers/   copies of the live store as of one moment, one for each process that reads without the lock
//	tmp/       files of transactions and bulk files being written; emptied when the database is opened and closed
//
// CURRENT is two lines, "quereus-migrate format 1" and "store-N". It is replaced by writing CURRENT.tmp, syncing it, renaming
// it and syncing the directory, so a crash leaves the old or the new one. A store directory that CURRENT does not name is
// left over from a switch or from a copy that was not finished, and is removed at the next open.
//
// The lock is the operating system's, on LOCK: it ends with its process, so there is never one to clear. Pebble locks the
// store directory once more.
//
// # What is fixed on disk
//
// docs/format.md describes the format as a whole. Format 1, from the first release on, is: this layout; Pebble's default comparer, named leveldb.BytewiseComparator, under which a
// key is its own prefix, so that filters hold whole keys; no merge operator, no range keys; Pebble's format major version 21. That one
// has everything we use (excises, 16; flushable ingests with excises, 18; columnar blocks, 19; log chunks that tell damage from an end, 20;
// checksums in the footers of tables, 21) and none of the separation of values into files of their own (24), which we do not
// use. A database with another format number, or with a higher major version, is refused with both numbers. A release
// that raises the major version raises the format number with it; it must still open every lower one.
//
// Filters, block sizes and compression are properties of each table file, so they may change between releases.
//
// # Damage
//
// Tables have checksums. What is missing at the end of a log or manifest Pebble cannot tell from a crash; the file SYNCED in each store
// can (synced.go).
//
// # Failures
//
// Pebble ends the process when the log or the manifest cannot be written, by its logger or by unlocking a mutex twice while it
// panics. Here no such failure reaches Pebble: the file system that it is given (fence) marks the store broken, parks the
// goroutine for ever, and lets no further write of that store through. Whoever waits for the write gets the failure, all later calls
// too, until the store is opened anew; what was not certainly durable is then found or not, as a whole. Snapshots that were taken before
// it stay readable meanwhile.
//
// Failures to write tables, above all a full disk, are retried by Pebble without end. While they last, writes are refused
// with their reason (FULL, IOERR) before anything is done; one that is already waiting gives up after Options.StallLimit, and
// then leaves the store broken. When there is space again the store goes on by itself.
package pebble
