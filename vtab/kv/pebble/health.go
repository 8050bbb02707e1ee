package pebble

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/quereus/quereus-migrate/types"
)

// health is what is known of a store's ability to write.
type health struct {
	dir   string
	stall time.Duration // how long a write waits for failing background work

	broken    chan struct{} // closed when the store is broken
	gone      atomic.Bool   // the same, cheaper to ask
	mu        sync.Mutex
	why       error     // why it is broken
	failing   error     // why the last flush failed, which Pebble tries again and again; nil when it went well
	lastEnd   error     // what the last flush ended with, before it is known whether that is a failure
	setback   error     // the last failure of a flush or a compaction; nil when one went well since
	setbackAt time.Time // of setback
}

func newHealth(dir string, stall time.Duration) *health {
	return &health{dir: dir, stall: stall, broken: make(chan struct{})}
}

// breakDown marks the store broken: what is durable is in doubt from here on. Only the first reason counts.
func (h *health) breakDown(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.why != nil {
		return
	}
	h.why = &types.Error{
		Code:    codeOf(err),
		Message: fmt.Sprintf("database %s: a write failed, and it is not known what of it is on disk: %v", h.dir, err),
		Hint:    "close the database and open it again",
		Cause:   err,
	}
	h.gone.Store(true)
	close(h.broken)
}

// check answers why the store is broken, nil when it is not.
func (h *health) check() error {
	if !h.gone.Load() {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.why
}

// checkWrite is check for a write, which is refused, too, while flushes fail: it would only wait.
func (h *health) checkWrite() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.why != nil:
		return h.why
	case h.failing != nil:
		return wrap(h.failing, "database "+h.dir+" cannot write its tables at present, nothing was changed")
	}
	return nil
}

// flushEnd notes how a flush ended. Whether an error is a failure or tells that there was nothing to write shows only in
// the backgroundError that follows a failure. These three are called with Pebble's locks held.
func (h *health) flushEnd(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failing, h.setback, h.lastEnd = nil, nil, err
}

func (h *health) compactionEnd(err error) {
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.setback = nil
}

// backgroundError notes a failure of work in the background. One that is not a flush's does not refuse writes: it may never be tried
// again, or not before there are writes.
func (h *health) backgroundError(err error) {
	if errors.Is(err, pebble.ErrCancelledCompaction) {
		return // an ingest or an excise came in between; Pebble does the flush again
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if errors.Is(err, h.lastEnd) {
		h.failing = err
	}
	h.setback, h.setbackAt = err, time.Now()
}

// ails reports whether work in the background fails at present.
func (h *health) ails() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.setback != nil
}

// breakIfStalled marks the store broken when a write that began at start has waited long enough, and background work failed meanwhile.
func (h *health) breakIfStalled(start time.Time) {
	h.mu.Lock()
	err := h.setback
	stalled := err != nil && h.setbackAt.After(start) && time.Since(start) > h.stall
	h.mu.Unlock()
	if stalled {
		h.breakDown(err)
	}
}

// firstLook is how long run waits before it begins to look whether the write stalls.
const firstLook = 100 * time.Millisecond

// run carries out a write in a goroutine of its own, so that the caller comes back although the write hangs for ever: when
// the store breaks, or when background work keeps failing. A panic of Pebble's in it breaks the store.
func (h *health) run(what string, op func() error) error {
	start := time.Now()
	done := make(chan error, 1)
	go func() { done <- h.guard(op) }()
	timer := time.NewTimer(firstLook)
	defer timer.Stop()
	for {
		select {
		case err := <-done:
			if broken := h.check(); broken != nil {
				return broken
			}
			return wrap(err, what)
		case <-h.broken:
			return h.check()
		case <-timer.C:
			h.breakIfStalled(start)
			timer.Reset(firstLook)
		}
	}
}

func (h *health) guard(op func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = recovered(r)
			h.breakDown(err)
		}
	}()
	return op()
}

// logger is the logger that Pebble gets: silent, but for what Pebble takes for the end of the process.
type logger struct{ health *health }

func (l logger) Infof(string, ...any)                   {}
func (l logger) Errorf(string, ...any)                  {}
func (l logger) Eventf(context.Context, string, ...any) {}
func (l logger) IsTracingEnabled(context.Context) bool  { return false }

// Fatalf marks the store broken and returns. Pebble does not expect that, but wherever it goes from here, nothing of it
// reaches the disk or a caller any more. A panic instead would end the process where no caller of ours is on the stack.
func (l logger) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	for _, a := range args {
		if cause, ok := a.(error); ok {
			err = cause
		}
	}
	l.health.breakDown(err)
}
