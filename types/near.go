package types

import (
	"cmp"
	"slices"

	"github.com/agext/levenshtein"
)

// NearHint gives the hint "did you mean 'x'?" with the candidate that a mistyped name most likely means, in its own spelling; "" when none is
// near. Letter case does not count. It is for errors: its time is proportional to the candidates.
func NearHint(name string, candidates []string) string {
	folded := make([]string, len(candidates))
	for i, c := range candidates {
		folded[i] = Fold(c)
	}
	near := Nearest(Fold(name), folded)
	if near == "" {
		return ""
	}
	return "did you mean '" + candidates[slices.Index(folded, near)] + "'?"
}

// WithHint adds a hint to an error that has none; an empty one is none.
func (e *Error) WithHint(hint string) *Error {
	if e.Hint == "" {
		e.Hint = hint
	}
	return e
}

// Nearest gives the candidate that a mistyped word most likely means, "" when none is near: at most a third of its letters are other ones.
// Letter case counts.
func Nearest(word string, candidates []string) string {
	type scored struct {
		name     string
		distance int
	}
	var near []scored
	for _, c := range candidates {
		if n := len(c) - len(word); n > len(c)/3+1 || -n > len(c)/3+1 {
			continue
		}
		d := distance(word, c)
		if d <= max(1, len(c)/3) && d < len(c) {
			near = append(near, scored{c, d})
		}
	}
	if len(near) == 0 {
		return ""
	}
	best := slices.MinFunc(near, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	return best.name
}

// distance counts the edits between two words; two neighbours that changed places are one.
func distance(a, b string) int {
	d := levenshtein.Distance(a, b, nil)
	if d == 2 && len(a) == len(b) {
		for i := 0; i+1 < len(a); i++ {
			if a[:i]+string(a[i+1])+string(a[i])+a[i+2:] == b {
				return 1
			}
		}
	}
	return d
}
