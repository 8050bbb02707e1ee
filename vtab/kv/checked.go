package kv

import (
	"bytes"

	"github.com/quereus/quereus-migrate/types/invariant"
)

// Checked gives an iterator that punishes its user's faults in a build with the tag "invariants": the Key and Value that
// it gave out are overwritten at the next move, so that whoever kept them without a copy reads rubbish; a step before the
// first positioning, a use after Close and a Probe on an iterator that was not opened for it panic. Other builds give it
// back as it is. Stores pass every iterator that they give out through it.
func Checked(it Iterator, o IterOptions) Iterator {
	if !invariant.Enabled {
		return it
	}
	return &checkedIter{it: it, o: o}
}

type checkedIter struct {
	it         Iterator
	o          IterOptions
	key, value []byte // copies that were given out for the present position
	moved      bool
	closer     invariant.Closer
}

const scribble = 0xDB

// move runs before each move.
func (c *checkedIter) move(relative, probe bool) {
	c.closer.MustBeOpen("iterator")
	if relative && !c.moved {
		panic(invariant.Violation("iterator stepped before it was positioned"))
	}
	if probe != c.o.Probe {
		panic(invariant.Violation("iterator opened with Probe=%v asked for a move of the other kind", c.o.Probe))
	}
	c.moved = true
	c.spoil()
}

func (c *checkedIter) spoil() {
	for _, b := range [][]byte{c.key, c.value} {
		for i := range b {
			b[i] = scribble
		}
	}
	c.key, c.value = nil, nil
}

// done checks what a move gave.
func (c *checkedIter) done(ok bool) bool {
	if ok && c.it.Err() != nil {
		panic(invariant.Violation("iterator moved in spite of %v", c.it.Err()))
	}
	if ok && !(Span{Lo: c.o.Lo, Hi: c.o.Hi}).Contains(c.it.Key()) {
		panic(invariant.Violation("iterator left its span: key %x", c.it.Key()))
	}
	return ok
}

func (c *checkedIter) First() bool { c.move(false, false); return c.done(c.it.First()) }
func (c *checkedIter) Last() bool  { c.move(false, false); return c.done(c.it.Last()) }
func (c *checkedIter) Next() bool  { c.move(true, false); return c.done(c.it.Next()) }
func (c *checkedIter) Prev() bool  { c.move(true, false); return c.done(c.it.Prev()) }

func (c *checkedIter) SeekGE(key []byte) bool {
	key = bytes.Clone(key) // it may be our own, about to be spoiled
	c.move(false, false)
	return c.done(c.it.SeekGE(key))
}

func (c *checkedIter) SeekLT(key []byte) bool {
	key = bytes.Clone(key)
	c.move(false, false)
	return c.done(c.it.SeekLT(key))
}

func (c *checkedIter) Probe(key []byte) bool {
	key = bytes.Clone(key)
	c.move(false, true)
	ok := c.done(c.it.Probe(key))
	if ok && !bytes.Equal(c.it.Key(), key) {
		panic(invariant.Violation("probe for key %x gave %x", key, c.it.Key()))
	}
	return ok
}

func (c *checkedIter) Valid() bool { return c.it.Valid() }
func (c *checkedIter) Err() error  { return c.it.Err() }

func (c *checkedIter) Key() []byte {
	c.closer.MustBeOpen("iterator")
	if c.key == nil {
		c.key = append([]byte{}, c.it.Key()...)
	}
	return c.key
}

func (c *checkedIter) Value() []byte {
	c.closer.MustBeOpen("iterator")
	if c.value == nil {
		c.value = append([]byte{}, c.it.Value()...)
	}
	return c.value
}

func (c *checkedIter) Close() error {
	c.closer.Close("iterator")
	c.spoil()
	return c.it.Close()
}
