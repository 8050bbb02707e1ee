package kv_test

import (
	"context"
	"errors"
	"testing"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/stretchr/testify/require"
)

func span(lo, hi string) kv.Span {
	s := kv.Span{Lo: []byte(lo)}
	if hi != "" {
		s.Hi = []byte(hi)
	}
	return s
}

func TestSpan(t *testing.T) {
	require.True(t, span("b", "d").Contains([]byte("b")))
	require.False(t, span("b", "d").Contains([]byte("d")))
	require.True(t, span("b", "").Contains([]byte("\xff\xff")))
	require.True(t, kv.Span{}.Contains(nil))

	require.True(t, span("b", "d").Covers(span("b", "d")))
	require.True(t, span("b", "").Covers(span("c", "")))
	require.False(t, span("b", "d").Covers(span("c", "")))
	require.False(t, span("b", "d").Covers(span("a", "c")))
	require.True(t, span("b", "d").Covers(span("x", "x")), "an empty span lies everywhere")
	require.True(t, kv.Span{}.Covers(kv.Span{}))

	require.True(t, span("a", "c").Overlaps(span("b", "d")))
	require.False(t, span("a", "b").Overlaps(span("b", "c")))
	require.Equal(t, span("b", "c"), span("a", "c").Intersect(span("b", "")))
	require.True(t, span("c", "b").Empty())
	require.False(t, kv.Span{}.Empty())
}

func TestPrefixSpan(t *testing.T) {
	for prefix, end := range map[string]string{"a": "b", "a\xff": "b", "\xfe\xff\xff": "\xff", "ab": "ac"} {
		require.Equal(t, end, string(kv.PrefixEnd([]byte(prefix))), "%q", prefix)
	}
	require.Nil(t, kv.PrefixEnd([]byte("\xff\xff")))
	require.Nil(t, kv.PrefixEnd(nil))
	require.Equal(t, span("a", "b"), kv.PrefixSpan([]byte("a")))
	require.Equal(t, "a\x00", string(kv.Successor([]byte("a"))))
}

func TestInterrupted(t *testing.T) {
	require.NoError(t, kv.Interrupted(context.Background()))
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("the user left")
	cancel(cause)
	err := kv.Interrupted(ctx)
	require.ErrorIs(t, err, types.INTERRUPT)
	require.ErrorIs(t, err, cause)
}
