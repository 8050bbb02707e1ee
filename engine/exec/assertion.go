package exec

import (
	"cmp"
	"context"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// Assertions are the compiled assertions of one catalog, in order of declaration. They are immutable and safe for concurrent use.
type Assertions struct{ list []assertion }

type assertion struct {
	name    string // as messages show it
	program *Program
	tables  []catalog.ID // that it reads
}

// CompileAssertions plans and compiles all assertions of env.Catalog.
func CompileAssertions(env *plan.Env) (*Assertions, error) {
	var declared []*catalog.Assertion
	for _, schema := range env.Catalog.Schemas() {
		declared = append(declared, slices.Collect(env.Catalog.Assertions(schema))...)
	}
	slices.SortFunc(declared, func(a, b *catalog.Assertion) int { return cmp.Compare(a.Seq, b.Seq) })
	out := &Assertions{}
	for _, a := range declared {
		x, err := compileAssertion(a, env)
		if err != nil {
			return nil, err
		}
		out.list = append(out.list, *x)
	}
	return out, nil
}

func compileAssertion(a *catalog.Assertion, env *plan.Env) (*assertion, error) {
	p, err := plan.PrepareAssertion(a, env)
	if err != nil {
		return nil, types.Wrapf(types.ERROR, err, "assertion '%s'", a.Name)
	}
	program, err := Build(p)
	if err != nil {
		return nil, err
	}
	return &assertion{name: assertionName(a), program: program, tables: p.Tables()}, nil
}

// CheckAssertion evaluates one assertion of env.Catalog against the state that rt.Source shows. CONSTRAINT when it is false; NULL passes.
func CheckAssertion(ctx context.Context, a *catalog.Assertion, env *plan.Env, rt *Runtime) error {
	x, err := compileAssertion(a, env)
	if err != nil {
		return err
	}
	return x.check(ctx, rt)
}

func assertionName(a *catalog.Assertion) string {
	if a.Schema == catalog.MainSchema {
		return a.Name
	}
	return a.Schema + "." + a.Name
}

// Check evaluates the assertions that read a table which the transaction has changed, and those that read none if it has changed
// any, against the final state that rt.Source shows (docs/reference/language.md). The first one that is false is the answer; NULL passes.
func (a *Assertions) Check(ctx context.Context, rt *Runtime, q *Queue) error {
	for i := range a.list {
		x := &a.list[i]
		if !q.Touched(x.tables...) {
			continue
		}
		if err := x.check(ctx, rt); err != nil {
			return err
		}
	}
	return nil
}

func (x *assertion) check(ctx context.Context, rt *Runtime) error {
	ok, err := x.holds(ctx, rt)
	if err == nil && !ok {
		err = types.Errorf(types.CONSTRAINT, "Integrity assertion failed: %s", x.name)
	}
	return err
}

func (x *assertion) holds(ctx context.Context, rt *Runtime) (ok bool, err error) {
	rows, err := x.program.Run(ctx, rt)
	if err != nil {
		return false, err
	}
	defer func() { err = firstError(err, rows.Close()) }()
	row, err := rows.Next()
	if err != nil || row == nil {
		return err == nil, err
	}
	return !catalog.CheckFails(row[0]), nil
}
