package main

import (
	"database/sql"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite"
)

// sqliteRun is the command `sqlite database script`: SQLite itself makes the database, or changes it, by the statements of a file.
func sqliteRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sqlite database script")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(db.Close())
}
