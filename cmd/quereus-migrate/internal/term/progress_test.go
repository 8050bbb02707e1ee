package term

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProgress(t *testing.T) {
	var b strings.Builder
	now := time.Unix(0, 0)
	p := (&Streams{Err: &b, ErrTerminal: true}).NewProgress()
	p.now = func() time.Time { return now }
	tell := func(after time.Duration, title string, rows, total int64) string {
		b.Reset()
		now = now.Add(after)
		p.Update(title, rows, total)
		return b.String()
	}
	require.Empty(t, tell(0, "one", 0, 100))
	require.Empty(t, tell(100*time.Millisecond, "one", 10, 100), "too soon")
	require.Equal(t, "\rone: 50 of 100 rows, 50 rows/s, 1s left", tell(900*time.Millisecond, "one", 50, 100))
	require.Equal(t, "\rone: 150 rows, 75 rows/s               ", tell(time.Second, "one", 150, 100), "more rows than anybody expected")
	require.Empty(t, tell(time.Second, "two", 10, 0), "a new step begins")
	require.Equal(t, "\rtwo: 10 rows, 10 rows/s ", tell(time.Second, "two", 10, 0))
	b.Reset()
	p.Clear()
	p.Clear()
	require.Equal(t, "\r"+strings.Repeat(" ", len("two: 10 rows, 10 rows/s"))+"\r", b.String())

	p = (&Streams{Err: &b}).NewProgress()
	b.Reset()
	p.now = func() time.Time { now = now.Add(time.Hour); return now }
	p.Update("one", 1, 2)
	p.Update("one", 2, 2)
	require.Empty(t, b.String(), "nobody is there to see it")
}

func TestConfirm(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, " Yes\r\n": true, "n\n": false, "\n": false, "": false, "y": true} {
		var b strings.Builder
		s := &Streams{In: strings.NewReader(answer), Err: &b, InTerminal: true, ErrTerminal: true}
		require.True(t, s.CanAsk())
		got, err := s.Confirm(t.Context(), "do it?")
		require.NoError(t, err)
		require.Equal(t, want, got, "%q", answer)
		require.Contains(t, b.String(), "do it? [y/N] ")
	}
	require.False(t, (&Streams{InTerminal: true}).CanAsk())
}

func TestConfirmEndsWithItsContext(t *testing.T) {
	in, _ := io.Pipe() // nobody answers
	var b strings.Builder
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	_, err := (&Streams{In: in, Err: &b, InTerminal: true, ErrTerminal: true}).Confirm(ctx, "do it?")
	require.ErrorIs(t, err, stop)
	require.Equal(t, "do it? [y/N] \n", b.String())
}

func TestProgressKeepsToItsLine(t *testing.T) {
	for _, columns := range []int{1, 2, 20, 40, 80, 200} {
		var b strings.Builder
		now := time.Unix(0, 0)
		s := &Streams{Err: &b, ErrTerminal: true, Columns: columns}
		p := s.NewProgress()
		p.now = func() time.Time { return now }
		p.Update("statement 17 of 100", 0, 12_345_678)
		for i := range 5 {
			now = now.Add(time.Second)
			p.Update("statement 17 of 100", int64(i+1)*1_000_000, 12_345_678)
		}
		p.Clear()
		for _, line := range strings.Split(b.String(), "\r") {
			require.Less(t, textWidth(line), max(columns, 2), "a line of %d cells", columns)
		}
		if columns >= 80 {
			require.Contains(t, b.String(), "statement 17 of 100: 1,000,000 of 12,345,678 rows, 1,000,000 rows/s, 11s left")
		}
	}
}
