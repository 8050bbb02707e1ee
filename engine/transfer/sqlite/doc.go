// Package sqlite reads SQLite database files for package transfer, through modernc.org/sqlite. A file is opened for reading alone, and
// all that is read belongs to one state of it.
package sqlite
