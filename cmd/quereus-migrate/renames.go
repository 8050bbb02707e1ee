package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// errHintsWritten ends a comparison whose schema files have changed: it begins anew.
var errHintsWritten = errors.New("hints of renames were written into the schema")

// lookAlike is a step that drops what looks like something new under its old name.
type lookAlike struct {
	step *differ.Step
	hint *differ.RenameHint
}

// lookAlikes lists what stops a plan because it may be a rename.
func lookAlikes(plan *differ.Plan, policy *differ.Policy) []lookAlike {
	var out []lookAlike
	for i := range plan.Steps {
		s := &plan.Steps[i]
		for _, h := range policy.Refused(s) {
			if h.Rename != nil {
				out = append(out, lookAlike{s, h.Rename})
			}
		}
	}
	return out
}

// settleRenames asks about what may be a rename, or writes the hints when that was asked for. Without either the policy refuses the plan.
func (r *applyRun) settleRenames(ctx context.Context, plan *differ.Plan) error {
	found := lookAlikes(plan, &r.allow.policy)
	switch {
	case r.declared == nil || len(found) == 0:
		return nil
	case r.writeHints:
		return r.writeAll(found)
	case r.yes || r.dryRun || !r.CanAsk():
		return nil
	}
	var wanted []lookAlike
	for _, l := range found {
		if isTaken(wanted, l) {
			continue
		}
		yes, err := r.Confirm(ctx, fmt.Sprintf("%s %s goes and %s comes: is it renamed?", l.hint.Kind, term.Visible(l.hint.From), term.Visible(l.hint.To)))
		if err != nil {
			return &declinedError{"nothing was changed"} // an interrupt is no answer
		}
		if yes {
			wanted = append(wanted, l)
		}
	}
	for _, l := range found {
		if !isTaken(wanted, l) {
			r.allow.policy.Allowances = append(r.allow.policy.Allowances, l.allowance())
		}
	}
	if wanted == nil {
		return nil
	}
	return r.writeAll(wanted)
}

// isTaken reports whether one of the hints says already what becomes of the old name, or whence the new one is.
func isTaken(wanted []lookAlike, l lookAlike) bool {
	for _, w := range wanted {
		if w.step == l.step || w.hint.Item == l.hint.Item {
			return true
		}
	}
	return false
}

// allowance lets the plan drop what looks like a rename and is none.
func (l *lookAlike) allowance() differ.Allowance {
	object := l.step.Object
	if l.step.Column() != "" {
		object += "." + l.step.Column()
	}
	return differ.Allowance{Code: string(differ.LikelyRename), Object: object}
}

// writeAll writes hints into the schema files. Each old name and each new one may be in one only.
func (r *applyRun) writeAll(hints []lookAlike) error {
	for i, l := range hints {
		if isTaken(hints[:i], l) {
			return types.Errorf(types.ERROR, "several renames are possible of %s %s or to %s; write the hint by hand: %s", l.hint.Kind, l.hint.From, l.hint.To, l.hint.Text())
		}
	}
	// From the end of a file to its beginning, so that the places of those before stay as they are.
	texts := map[*ast.Source]*ast.Source{}
	for len(hints) > 0 {
		last := 0
		for i := range hints {
			if hints[i].hint.Item.Pos() > hints[last].hint.Item.Pos() {
				last = i
			}
		}
		h := hints[last].hint
		hints = append(hints[:last:last], hints[last+1:]...)
		if h.Origin.Source == nil || h.Origin.Map != nil {
			return types.Errorf(types.UNSUPPORTED, "the hint cannot be written where %s is declared; write it by hand: %s", h.To, h.Text())
		}
		src := texts[h.Origin.Source]
		if src == nil {
			src = h.Origin.Source
		}
		text, err := schemafile.WithHint(src, h.Item, h.From)
		if err != nil {
			return err
		}
		texts[h.Origin.Source] = ast.NewSource(src.Name, text)
		fmt.Fprintf(r.Err, "%s: %s is renamed from %s: %s\n", term.Visible(src.Name), term.Visible(h.To), term.Visible(h.From), term.Visible(h.Text()))
	}
	for _, src := range texts {
		if src.Name == "<stdin>" {
			return types.Errorf(types.UNSUPPORTED, "hints cannot be written into standard input")
		}
		if err := writeWhole(src.Name, []byte(src.Text)); err != nil {
			return err
		}
	}
	return errHintsWritten
}
