// Package sqlitelaw holds no code of the product: its tests ask SQLite (modernc.org/sqlite) and the engine the same random questions
// over the same random rows and want the same answers.
//
// Where the dialects differ on purpose the generator goes around; the table of these places is dialect in dialect_test.go. A short run is
// part of the tests. The long one is
//
//	QUEREUS_LONG=1 go test ./engine/sqlitelaw -timeout 2h -run Law -rapid.checks=1000000
package sqlitelaw
