package function

import (
	"strings"

	"github.com/quereus/quereus-migrate/types/limit"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// What functions ask of the limits before they take memory, and of the statement's context while they take time.

// Interrupted is the INTERRUPT error of a call whose statement is not wanted any more, else nil.
func (c *Call) Interrupted() error {
	if c.Ctx == nil {
		return nil
	}
	return kv.Interrupted(c.Ctx)
}

// Limits gives the limits that hold for the call.
func (c *Call) Limits() *limit.Set { return c.Memory.Limits() }

// growStep is how much states grow before the statement's account is asked again.
const growStep = 64 << 10

// Grow tells that the states of aggregates are about to hold n bytes more: NOMEM when they may not.
func (c *Call) Grow(n int) error {
	c.Held += int64(n)
	if c.Held-c.counted < growStep {
		return nil
	}
	if err := c.Memory.Grow(c.Held - c.counted); err != nil {
		return err
	}
	c.counted = c.Held
	return nil
}

// Release tells that states that held n bytes are gone.
func (c *Call) Release(n int64) {
	c.Held -= n
	if c.counted > c.Held {
		c.Memory.Shrink(c.counted - c.Held)
		c.counted = c.Held
	}
}

// grown gives a list with room for n elements more, of size bytes each, which are counted.
func grown[T any](c *Call, list []T, n, size int) ([]T, error) {
	if len(list)+n <= cap(list) {
		return list, nil
	}
	room := max(2*cap(list), len(list)+n, 4)
	if err := c.Grow((room - cap(list)) * size); err != nil {
		return list, err
	}
	more := make([]T, len(list), room)
	copy(more, list)
	return more, nil
}

// piece is how many bytes are written or searched between two looks at the context.
const piece = 8 << 20

// builder writes a text of a known length, and hears the end of the statement while it does.
type builder struct {
	c     *Call
	text  strings.Builder
	since int
}

// newBuilder takes the memory of a text, which it has asked for.
func newBuilder(c *Call, size int) (*builder, error) {
	if err := c.Memory.Value(int64(size)); err != nil {
		return nil, err
	}
	b := &builder{c: c}
	b.text.Grow(size)
	return b, nil
}

func (b *builder) write(s string) error {
	for len(s) > 0 {
		part := s[:min(len(s), piece)]
		b.text.WriteString(part)
		s = s[len(part):]
		if b.since += len(part); b.since >= piece {
			b.since = 0
			if err := b.c.Interrupted(); err != nil {
				return err
			}
		}
	}
	return nil
}
