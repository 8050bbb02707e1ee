package kv

import "bytes"

// stackCursor merges layers, the newest first: of several records under one key it shows the newest. It serves overlays
// that spilled; one that did not is its tree's cursor alone.
//
// Moving forwards, every layer stands at its first record at or after the present key, moving backwards at its last one at
// or before it; those with the present key move together.
type stackCursor struct {
	layers  []layerCursor
	cur     int  // the layer that shows, -1 for none
	forward bool // the direction in which the layers stand
	at      iterState
	key     []byte // copy of the present key for turning round
}

func newStackCursor(layers []layerCursor) *stackCursor { return &stackCursor{layers: layers, cur: -1} }

func (c *stackCursor) First() bool {
	for _, l := range c.layers {
		l.First()
	}
	return c.settle(true)
}

func (c *stackCursor) Last() bool {
	for _, l := range c.layers {
		l.Last()
	}
	return c.settle(false)
}

func (c *stackCursor) SeekGE(key []byte) bool {
	for _, l := range c.layers {
		l.SeekGE(key)
	}
	return c.settle(true)
}

func (c *stackCursor) SeekLT(key []byte) bool {
	for _, l := range c.layers {
		l.SeekLT(key)
	}
	return c.settle(false)
}

// settle picks the layer that shows after all of them moved.
func (c *stackCursor) settle(forward bool) bool {
	c.forward, c.cur = forward, -1
	for i, l := range c.layers {
		if !l.Valid() {
			continue
		}
		if c.cur < 0 {
			c.cur = i
			continue
		}
		order := bytes.Compare(l.Key(), c.layers[c.cur].Key())
		if forward && order < 0 || !forward && order > 0 {
			c.cur = i
		}
	}
	switch {
	case c.Err() != nil:
		c.cur, c.at = -1, unpositioned
	case c.cur >= 0:
		c.at = onEntry
	case forward:
		c.at = afterLast
	default:
		c.at = beforeFirst
	}
	return c.cur >= 0
}

func (c *stackCursor) Next() bool {
	if c.at != onEntry {
		return c.at == beforeFirst && c.First()
	}
	c.key = append(c.key[:0], c.Key()...)
	for _, l := range c.layers {
		if !c.forward {
			l.SeekGE(c.key)
		}
		if l.Valid() && bytes.Equal(l.Key(), c.key) {
			l.Next()
		}
	}
	return c.settle(true)
}

func (c *stackCursor) Prev() bool {
	if c.at != onEntry {
		return c.at == afterLast && c.Last()
	}
	c.key = append(c.key[:0], c.Key()...)
	for _, l := range c.layers {
		if c.forward {
			l.SeekLT(c.key)
		} else if l.Valid() && bytes.Equal(l.Key(), c.key) {
			l.Prev()
		}
	}
	return c.settle(false)
}

func (c *stackCursor) Valid() bool   { return c.at == onEntry }
func (c *stackCursor) Key() []byte   { return c.layers[c.cur].Key() }
func (c *stackCursor) Value() []byte { return c.layers[c.cur].Value() }
func (c *stackCursor) Deleted() bool { return c.layers[c.cur].Deleted() }
func (c *stackCursor) NoBase() bool  { return c.layers[c.cur].NoBase() }

func (c *stackCursor) Err() error {
	for _, l := range c.layers {
		if err := l.Err(); err != nil {
			return err
		}
	}
	return nil
}
