package exec

import (
	"time"

	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Measure is what a node of a plan did in a run.
type Measure struct {
	// Opens is how often it was opened, Rows the number of rows that it gave in all.
	Opens, Rows int64
	// Time is the time in it and in what lies below it; what other goroutines read ahead for it counts where they are waited for.
	Time time.Duration
	// Spills is the number of temporary files that it wrote, those below it aside.
	Spills int64
}

// BuildMeasured compiles a plan so that a run fills in what each node does. The program is for one run.
func BuildMeasured(p *plan.Plan) (*Program, map[plan.Node]*Measure, error) {
	b := newBuilder(p)
	b.measures = map[plan.Node]*Measure{}
	program, err := b.build()
	return program, b.measures, err
}

// measured gives a recipe whose operators are measured.
func (b *builder) measured(n plan.Node, r recipe) recipe {
	m := b.measures[n]
	if m == nil {
		m = new(Measure)
		b.measures[n] = m
	}
	return func() Operator { return &measuredOp{in: r(), m: m} }
}

// measuredOp counts what goes through an operator.
type measuredOp struct {
	in Operator
	m  *Measure
	ec *Context
}

// Open opens the operator.
func (o *measuredOp) Open(ec *Context) error {
	o.ec = ec
	o.m.Opens++
	return o.time(func() error { return o.in.Open(ec) })
}

// Next counts the rows.
func (o *measuredOp) Next(b *Batch) error {
	err := o.time(func() error { return o.in.Next(b) })
	o.m.Rows += int64(len(b.Rows))
	return err
}

// Close closes the operator.
func (o *measuredOp) Close() error { return o.in.Close() }

// time runs a step of the operator.
func (o *measuredOp) time(f func() error) error {
	around, start := o.ec.measure, time.Now()
	o.ec.measure = o.m
	defer func() {
		o.m.Time += time.Since(start)
		o.ec.measure = around
	}()
	return f()
}

// spillDir is where an operator writes what memory does not hold.
type spillDir struct {
	dir     string
	measure *Measure // of the operator, nil when nobody measures
}

func (ec *Context) spillDir() spillDir { return spillDir{ec.rt.TempDir, ec.measure} }

// create begins a file of about so many keys; 0 for one that is not searched.
func (d spillDir) create(keys int64) (*kv.RunWriter, error) {
	if d.measure != nil {
		d.measure.Spills++
	}
	return kv.NewRunWriter(d.dir, keys)
}
