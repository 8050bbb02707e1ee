package types

// Rank says how strongly an operand demands its collation (spec: comparison collation resolution).
type Rank uint8

// The ranks, weakest first.
const (
	RankNone Rank = iota
	RankDefault
	RankDeclared
	RankExplicit
)
