package pebble

import "github.com/cockroachdb/pebble/v2/vfs"

// MemFS gives an empty file system in memory, for Options.FS: a database that is opened, closed and opened again without a disk.
func MemFS() vfs.FS { return vfs.NewMem() }
