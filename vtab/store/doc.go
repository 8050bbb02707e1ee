// Package store keeps tables in an ordered key-value store. It is the one implementation of tables: module "memory" is this
// code over kv/mem, module "store" the same code over kv/pebble, so the two give equal answers.
//
// A table is a range of rows under its key, and a range of entries for every index and UNIQUE constraint (keyspace.go). Ranges
// are numbered by incarnations, which are never reused: what changes the order or the contents of a whole range writes a new one
// beside it, and the catalog swaps the number. A stored row names the layout that it was written under (row.go, layout.go), so
// adding and dropping columns touches no row.
//
// How rows lie on disk is known to keyspace.go, row.go, layout.go and structure.go alone; docs/format.md describes it as a whole.
//
// The package compiles no expressions: predicates and expression members of indexes come as functions in vtab.TableSpec. It
// judges no constraint but the key and uniqueness, and converts no values.
package store
