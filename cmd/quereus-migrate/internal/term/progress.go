package term

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
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
	line := fmt.Sprintf("%s: %s rows, %s rows/s", title, grouped(rows), grouped(int64(rate)))
	if total > rows {
		left := time.Duration(float64(total-rows) / rate * float64(time.Second))
		line = fmt.Sprintf("%s: %s of %s rows, %s rows/s, %s left", title, grouped(rows), grouped(total), grouped(int64(rate)), left.Round(time.Second))
	}
	p.write(line)
}

// grouped spells a number with its thousands apart.
// Bytes gives a size for people.
func Bytes(n uint64) string { return humanize.IBytes(n) }

func grouped(n int64) string { return humanize.Comma(n) }

// Clear takes the line away, as must be done before anything else is written.
func (p *Progress) Clear() {
	if p.width > 0 {
		fmt.Fprintf(p.streams.Err, "\r%*s\r", p.width, "")
		p.width = 0
	}
}

// write puts a line in place of the one before. A line that reached the last cell would go over to the next, where it cannot be
// written over.
func (p *Progress) write(line string) {
	room := max(p.streams.ErrColumns()-1, 1)
	if runes := []rune(line); len(runes) > room {
		line = string(runes[:room-1]) + "…"
	}
	p.width = min(p.width, room) // the terminal may have become narrower
	fmt.Fprintf(p.streams.Err, "\r%-*s", p.width, line)
	p.width = utf8.RuneCountInString(line)
}
