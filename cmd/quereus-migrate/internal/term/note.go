package term

import (
	"fmt"

	"github.com/quereus/quereus-migrate/catalog"
)

// PrintNotes writes remarks on places in files to Err, each on one line. One that holds for several places is written at the first.
func (s *Streams) PrintNotes(notes []*catalog.SourceError) {
	places := map[string]int{}
	for _, n := range notes {
		places[n.Err.Message]++
	}
	for _, n := range notes {
		count := places[n.Err.Message]
		if count == 0 {
			continue
		}
		places[n.Err.Message] = 0
		fmt.Fprintf(s.Err, "%s:%d:%d: %s: %s%s\n", Visible(n.Source.Name), n.Err.Line, n.Err.Column, s.ErrPalette().Yellow("note"),
			Visible(n.Err.Message), morePlaces(count-1))
	}
}

func morePlaces(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " (also at one more place)"
	}
	return fmt.Sprintf(" (also at %d more places)", n)
}
