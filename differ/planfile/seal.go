package planfile

import (
	"slices"

	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// parse reads the statement of a step. The step has nothing but what follows from that.
func (s *Step) parse() (differ.Step, error) {
	stmts, err := parse.Stmts(ast.NewSource("", s.Statement))
	if err != nil {
		return differ.Step{}, types.Wrapf(types.CodeOf(err), err, "the statement %s of the plan", s.Statement)
	}
	if len(stmts) != 1 {
		return differ.Step{}, types.Errorf(types.FORMAT, "a step of a plan is one statement, this one is %d: %s", len(stmts), s.Statement)
	}
	return differ.NewStep(stmts[0])
}

// Insert writes a statement that changes rows into the plan, as step number at, from 1; it must be sealed then. RANGE for a place that the
// plan does not have, UNSUPPORTED for a statement of another kind.
func (f *File) Insert(at int, sql string) error {
	if at < 1 || at > len(f.Steps)+1 {
		return types.Errorf(types.RANGE, "a plan of %d steps has no place %d for another; write 1 to %d", len(f.Steps), at, len(f.Steps)+1)
	}
	s := Step{Statement: sql}
	parsed, err := s.parse()
	if err != nil {
		return err
	}
	if !parsed.IsData() {
		return types.Errorf(types.UNSUPPORTED, "INSERT, UPDATE and DELETE can be written into a plan; what changes the schema belongs in the schema file: %s", parsed.SQL)
	}
	f.Steps = slices.Insert(f.Steps, at-1, s)
	return nil
}

// Seal makes a file that was edited one that can be applied: statements are read and written as the tool writes them, steps are numbered anew,
// those without a number are completed, and the checksum is set. The edited steps must stand behind those that they come after. On an
// error the file is as it was.
func (f *File) Seal() error {
	numbers := map[int]int{} // old to new
	for i := range f.Steps {
		n := f.Steps[i].Step
		if n == 0 {
			continue
		}
		if numbers[n] != 0 {
			return types.Errorf(types.FORMAT, "two steps have number %d; leave the number of a new step out", n)
		}
		numbers[n] = i + 1
	}
	plan := differ.Plan{Steps: make([]differ.Step, len(f.Steps))}
	for i := range f.Steps {
		s, err := f.Steps[i].sealed(i+1, numbers)
		if err != nil {
			return err
		}
		plan.Steps[i] = s
	}
	differ.ChainData(plan.Steps)
	steps := make([]Step, len(plan.Steps))
	for i := range plan.Steps {
		steps[i] = newStep(&plan.Steps[i], i+1)
	}
	f.Steps = steps
	f.Checksum = f.Sum()
	return nil
}

// sealed gives the step at its place, from 1. What a step that changes rows does follows from its statement alone.
func (s *Step) sealed(place int, numbers map[int]int) (differ.Step, error) {
	out, err := s.parse()
	if err != nil || s.Step == 0 || out.IsData() {
		return out, err
	}
	out.Reason = s.Reason
	if out.Effect, err = s.effect(); err != nil {
		return out, err
	}
	if out.Hazards, err = s.hazards(); err != nil {
		return out, err
	}
	for _, a := range s.After {
		switch before := numbers[a]; {
		case before == 0:
			continue // it was taken out; whether the plan still leads where it says is seen when it runs
		case before >= place:
			return out, types.Errorf(types.FORMAT, "step %d must stand behind step %d, which it needs", s.Step, a)
		default:
			out.After = append(out.After, before-1)
		}
	}
	slices.Sort(out.After)
	return out, nil
}
