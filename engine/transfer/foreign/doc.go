// Package foreign reads the definitions of other systems: the CREATE TABLE, CREATE INDEX and CREATE VIEW texts of SQLite, PostgreSQL and
// MySQL, as their files and dumps hold them, into a neutral model. It is tolerant where those systems are, keeps expressions as tokens,
// and decides nothing about what a definition becomes here: that is the business of package transfer.
package foreign

// Dialect is the system that wrote a text.
type Dialect uint8

// The dialects.
const (
	SQLite Dialect = iota
	Postgres
	MySQL
)

func (d Dialect) String() string { return [...]string{"SQLite", "PostgreSQL", "MySQL"}[d] }
