package catalog

import (
	"cmp"
	"errors"
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// JoinFaults joins errors (errors.Join), those of one source in the order of their places. Errors that are joined already are taken one by one, a nil
// is none, and one alone stays as it is.
func JoinFaults(faults ...error) error {
	all := flatten(nil, faults)
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	sources := map[*ast.Source]int{}
	for _, err := range all {
		if src, _, _ := placeOf(err); sources[src] == 0 {
			sources[src] = len(sources) + 1
		}
	}
	slices.SortStableFunc(all, func(a, b error) int {
		as, al, ac := placeOf(a)
		bs, bl, bc := placeOf(b)
		return cmp.Or(cmp.Compare(sources[as], sources[bs]), cmp.Compare(al, bl), cmp.Compare(ac, bc))
	})
	return errors.Join(all...)
}

func flatten(out, faults []error) []error {
	for _, err := range faults {
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			out = flatten(out, several.Unwrap())
		} else if err != nil {
			out = append(out, err)
		}
	}
	return out
}

func placeOf(err error) (src *ast.Source, line, column int) {
	if e := (*SourceError)(nil); errors.As(err, &e) {
		return e.Source, e.Err.Line, e.Err.Column
	}
	return nil, 0, 0
}
