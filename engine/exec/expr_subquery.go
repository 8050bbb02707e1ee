package exec

import (
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// subRecipe is a subquery of an expression, compiled once. keeps tells that it reads nothing that changes during a run, so
// that its first answer is the answer.
type subRecipe struct {
	make  recipe
	keeps bool
	// outer are the columns it reads from the row at hand, with their slots; columns of farther queries are in their slots already.
	outer []outerColumn
}

type outerColumn struct{ at, slot int }

// subRun is a subquery's state in one run.
type subRun struct {
	op    Operator
	batch Batch
	known bool        // of a subquery that keeps its answer: value or rows hold it
	value types.Value // of a scalar or EXISTS
	rows  *memberSet  // of IN
}

func (s *subRun) close() error {
	s.known, s.value = false, types.Null
	var err error
	if s.rows != nil {
		err = s.rows.close()
	}
	if s.op != nil {
		err = firstError(err, s.op.Close())
	}
	return err
}

// subquery compiles the plan of a subquery and gives its number.
func (c *compiler) subquery(p *plan.Subplan) (id int, r *subRecipe) {
	r = &subRecipe{keeps: len(p.Outer) == 0 && !p.Varies}
	for _, col := range p.Outer {
		slot := c.b.outerSlot(col)
		if at, ok := c.at[col]; ok {
			r.outer = append(r.outer, outerColumn{at, slot})
		}
	}
	r.make = c.b.plans[p]
	if r.make == nil {
		r.make = c.b.node(p.Root)
		c.b.plans[p] = r.make
	}
	c.b.subs = append(c.b.subs, r)
	return len(c.b.subs) - 1, r
}

// open starts a subquery for a row. A start that fails leaves nothing open.
func (r *subRecipe) open(ec *Context, s *subRun, row types.Row) error {
	if s.op == nil {
		s.op = r.make()
	}
	for _, o := range r.outer {
		ec.outer[o.slot] = row[o.at]
	}
	err := s.op.Open(ec)
	if err != nil {
		s.op.Close()
	}
	return err
}

// closing closes a subquery's operator and keeps the first error.
func closing(s *subRun, err *error) {
	if e := s.op.Close(); *err == nil {
		*err = e
	}
}

// scalarSubquery compiles (query): NULL without a row, an error with more than one.
func (c *compiler) scalarSubquery(x *plan.Subquery) Expr {
	id, r := c.subquery(x.Plan)
	at := c.b.located(x.Pos)
	return func(ec *Context, row types.Row) (types.Value, error) {
		s := &ec.subs[id]
		if s.known {
			return s.value, nil
		}
		v, err := r.scalar(ec, s, row)
		if err != nil {
			return types.Null, at(err)
		}
		s.known, s.value = r.keeps, v
		return v, nil
	}
}

func (r *subRecipe) scalar(ec *Context, s *subRun, row types.Row) (v types.Value, err error) {
	if err := r.open(ec, s, row); err != nil {
		return types.Null, err
	}
	defer closing(s, &err)
	if err := s.op.Next(&s.batch); err != nil || len(s.batch.Rows) == 0 {
		return types.Null, err
	}
	n := len(s.batch.Rows)
	v = s.batch.Rows[0][0].Clone()
	if n == 1 {
		if err := s.op.Next(&s.batch); err != nil {
			return types.Null, err
		}
		n += len(s.batch.Rows)
	}
	if n > 1 {
		return types.Null, types.Errorf(types.ERROR, "Scalar subquery returned more than one row")
	}
	return v, nil
}

// exists compiles exists (query).
func (c *compiler) exists(x *plan.Exists) Expr {
	id, r := c.subquery(x.Plan)
	return func(ec *Context, row types.Row) (types.Value, error) {
		s := &ec.subs[id]
		if s.known {
			return s.value, nil
		}
		v, err := r.exists(ec, s, row)
		if err != nil {
			return types.Null, err
		}
		s.known, s.value = r.keeps, v
		return v, nil
	}
}

func (r *subRecipe) exists(ec *Context, s *subRun, row types.Row) (v types.Value, err error) {
	if err := r.open(ec, s, row); err != nil {
		return types.Null, err
	}
	defer closing(s, &err)
	if err := s.op.Next(&s.batch); err != nil {
		return types.Null, err
	}
	return types.Bool(len(s.batch.Rows) > 0), nil
}

// inQuery compiles x [not] in (query). A query that keeps its answer is read once, into a set.
func (c *compiler) inQuery(x *plan.InQuery) Expr {
	probe := c.exprs(x.X)
	id, r := c.subquery(x.Plan)
	recipe := newSetRecipe(x)
	negate := x.Not
	return func(ec *Context, row types.Row) (types.Value, error) {
		base := len(ec.stack)
		defer func() { ec.stack = ec.stack[:base] }()
		if err := pushAll(ec, row, probe); err != nil {
			return types.Null, err
		}
		s := &ec.subs[id]
		if !s.known {
			if s.rows == nil {
				s.rows = &memberSet{recipe: recipe}
			}
			if err := r.collect(ec, s, row); err != nil {
				return types.Null, err
			}
			s.known = r.keeps
		}
		found, known, err := s.rows.lookup(ec.stack[base:])
		if err != nil || !known {
			return types.Null, err
		}
		return types.Bool(found != negate), nil
	}
}

// collect reads the subquery into its set.
func (r *subRecipe) collect(ec *Context, s *subRun, row types.Row) (err error) {
	if err := s.rows.start(ec); err != nil {
		return err
	}
	if err := r.open(ec, s, row); err != nil {
		return err
	}
	defer closing(s, &err)
	if err := drain(s.op, &s.batch, s.rows.add); err != nil {
		return err
	}
	return s.rows.finish()
}

// setRecipe says how the members of an IN subquery compare with the probe. keys is nil when only comparing one by one will do: a
// collation without normalizer, a TIMESPAN on one side only.
type setRecipe struct {
	casts []func(types.Value) types.Value // of the probe's members; nil entries for none
	by    []matcher
	keys  *types.KeyEncoder
}

func newSetRecipe(x *plan.InQuery) *setRecipe {
	r := &setRecipe{}
	cols := x.Plan.Root.Output()
	parts := make([]types.KeyPart, len(x.X))
	keyed := true
	for i, by := range x.By {
		t := x.X[i].Static().Type
		r.casts = append(r.casts, castOrNil(t, by.CastProbe))
		if by.CastProbe != nil {
			t = by.CastProbe
		}
		r.by = append(r.by, matcher{order: orderFunc(by.Order, t, cols[i].Type)})
		part, err := types.NewKeyPart(by.KeyType(), by.Collation, false)
		keyed = keyed && err == nil && (by.Type == nil || by.Type == t && by.Type == cols[i].Type)
		parts[i] = part
	}
	if keyed {
		r.keys = types.NewKeyEncoder(parts...)
	}
	return r
}

// memberSet holds the members of an IN subquery, beyond the budget on disk. Those without NULL are found by key; a probe with NULL,
// and members that have no key, are compared one by one.
type memberSet struct {
	recipe *setRecipe
	keys   keySet
	keyed  spool // the members behind keys, for probes with NULL; unused for probes of one member
	others spool
	some   bool // there is a member
	buf    []byte
	probe  types.Row
}

func (s *memberSet) start(ec *Context) error {
	s.some = false
	width := len(s.recipe.by)
	return firstError(s.keys.start(ec), s.keyed.start(ec, width), s.others.start(ec, width))
}

func (s *memberSet) close() error {
	return firstError(s.keys.close(), s.keyed.close(), s.others.close())
}

func (s *memberSet) add(member types.Row) error {
	s.some = true
	if s.recipe.keys == nil || hasNull(member) {
		return s.others.add(member)
	}
	var err error
	if s.buf, err = s.recipe.keys.Append(s.buf[:0], member...); err != nil {
		return err
	}
	isNew, err := s.keys.add(s.buf)
	if err != nil || !isNew || len(member) == 1 {
		return err
	}
	return s.keyed.add(member)
}

func (s *memberSet) finish() error { return firstError(s.keyed.finish(), s.others.finish()) }

// lookup tests whether the probe is a member: three-valued. A single NULL is unknown whatever the members are; a value that becomes
// NULL as it is converted is so only beside a member that it could be compared with.
func (s *memberSet) lookup(probe []types.Value) (found, known bool, err error) {
	s.probe = append(s.probe[:0], probe...)
	for i, cast := range s.recipe.casts {
		if cast != nil {
			s.probe[i] = cast(s.probe[i])
		}
	}
	null := hasNull(s.probe)
	if null && len(s.probe) == 1 {
		return false, !s.some && !probe[0].IsNull(), nil
	}
	if s.recipe.keys != nil && !null {
		if s.buf, err = s.recipe.keys.Append(s.buf[:0], s.probe...); err != nil {
			return false, false, err
		}
		if found, err := s.keys.has(s.buf); found || err != nil {
			return found, true, err
		}
	}
	found, known, err = s.compare(&s.others)
	if found || err != nil || !null {
		return found, known, err
	}
	found, alsoKnown, err := s.compare(&s.keyed)
	return found, known && alsoKnown, err
}

// compare tests the probe against members one by one.
func (s *memberSet) compare(members *spool) (found, known bool, err error) {
	known = true
	for r := members.read(); ; {
		member, err := r.next()
		if err != nil || member == nil {
			return false, known, err
		}
		equal, sure := equalTuples(s.recipe.by, s.probe, member)
		if equal && sure {
			return true, true, nil
		}
		known = known && sure
	}
}
