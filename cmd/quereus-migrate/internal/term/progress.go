package term

import (
	"fmt"
	"time"
)

// Progress shows on a terminal how far a long step is; elsewhere it writes nothing.
type Progress struct {
	streams *Streams
	now     func() time.Time
	began   time.Time // of the present step
	shown   time.Time
	title   string
	width   int
}

// NewProgress makes a Progress on the streams' error output.
func (s *Streams) NewProgress() *Progress { return &Progress{streams: s, now: time.Now} }

// between is the least time between two lines.
const between = 200 * time.Millisecond

// Update tells the step, the rows it has done, and of how many, 0 when nobody knows.
func (p *Progress) Update(title string, rows, total int64) {
	if !p.streams.ErrTerminal {
		return
	}
	now := p.now()
	if title != p.title {
		p.title, p.began, p.shown = title, now, now
	}
	if rows == 0 || now.Sub(p.shown) < between {
		return
	}
	p.shown = now
	rate := float64(rows) / now.Sub(p.began).Seconds()
	line := fmt.Sprintf("%s: %d rows, %.0f rows/s", title, rows, rate)
	if total > rows {
		left := time.Duration(float64(total-rows) / rate * float64(time.Second))
		line = fmt.Sprintf("%s: %d of %d rows, %.0f rows/s, %s left", title, rows, total, rate, left.Round(time.Second))
	}
	p.write(line)
}

// Clear takes the line away, as must be done before anything else is written.
func (p *Progress) Clear() {
	if p.width > 0 {
		fmt.Fprintf(p.streams.Err, "\r%*s\r", p.width, "")
		p.width = 0
	}
}

func (p *Progress) write(line string) {
	fmt.Fprintf(p.streams.Err, "\r%-*s", p.width, line)
	p.width = len(line)
}
