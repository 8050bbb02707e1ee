package exec

import "sync"

// idle keeps a few things that were used for use again. It goes with what it belongs to: unlike a sync.Pool nothing else knows of it, so a
// program that nobody holds any more leaves nothing behind.
type idle[T any] struct {
	mu   sync.Mutex
	list []*T
}

// maxIdle is how many are kept: more run at once only where many goroutines share a program.
const maxIdle = 4

// take gives one, nil when there is none.
func (p *idle[T]) take() *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.list)
	if n == 0 {
		return nil
	}
	x := p.list[n-1]
	p.list[n-1] = nil
	p.list = p.list[:n-1]
	return x
}

// give takes one back.
func (p *idle[T]) give(x *T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) < maxIdle {
		p.list = append(p.list, x)
	}
}
