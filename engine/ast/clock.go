package ast

import "github.com/quereus/quereus-migrate/types"

// ClockWord is current_date, current_time or current_timestamp: a value where no column in scope has the name.
type ClockWord uint8

// The clock words.
const (
	CurrentDate ClockWord = iota
	CurrentTime
	CurrentTimestamp
)

var clockWords = [...]string{CurrentDate: "current_date", CurrentTime: "current_time", CurrentTimestamp: "current_timestamp"}

func (w ClockWord) String() string { return clockWords[w] }

// Clock returns the clock word that a reference is if no column has its name; ok is false for a name in quotes, a qualified one, and any other.
func (r *ColumnRef) Clock() (w ClockWord, ok bool) {
	if r.Column.Quoted || !r.Table.IsZero() {
		return 0, false
	}
	return clockOf(r.Column.Text)
}

func clockOf(name string) (w ClockWord, ok bool) {
	const shortest, longest = len("current_date"), len("current_timestamp")
	if len(name) < shortest || len(name) > longest {
		return 0, false
	}
	name = types.Fold(name)
	for w, text := range clockWords {
		if text == name {
			return ClockWord(w), true
		}
	}
	return 0, false
}

func isClock(name string) bool {
	_, is := clockOf(name)
	return is
}
