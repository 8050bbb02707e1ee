// Package dump reads the texts that sqlite3 .dump, pg_dump and mysqldump write, for package transfer. A dump of SQLite is run by
// SQLite itself; of the others the definitions are read, and the rows out of COPY and INSERT.
//
// A dump is held in memory while it is read.
package dump

import (
	"strings"

	"github.com/quereus/quereus-migrate/engine/transfer/foreign"
)

// DialectOf tells who wrote a dump, by what it says of itself and else by its forms. ok is false for a text that looks like no dump.
func DialectOf(text string) (d foreign.Dialect, ok bool) {
	head := strings.ToLower(text[:min(len(text), 64<<10)])
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(head, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("postgresql database dump", "pg_catalog.", " from stdin;"):
		return foreign.Postgres, true
	case has("mysql dump", "mariadb dump", "phpmyadmin sql dump", "/*!40101 set", "engine=innodb", "engine=myisam"):
		return foreign.MySQL, true
	case has("pragma foreign_keys=off", "begin transaction;"):
		return foreign.SQLite, true
	}
	return foreign.SQLite, false
}
