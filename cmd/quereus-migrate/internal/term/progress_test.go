package term

import (
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
		got, err := s.Confirm("do it?")
		require.NoError(t, err)
		require.Equal(t, want, got, "%q", answer)
		require.Contains(t, b.String(), "do it? [y/N] ")
	}
	require.False(t, (&Streams{InTerminal: true}).CanAsk())
}
