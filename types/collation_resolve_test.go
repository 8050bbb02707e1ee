package types

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func byDefault(c *Collation) Contribution { return Contribution{c, RankDefault} }
func declared(c *Collation) Contribution  { return Contribution{c, RankDeclared} }
func explicit(c *Collation) Contribution  { return Contribution{c, RankExplicit} }

func TestResolveComparison(t *testing.T) {
	none := Contribution{}
	for _, c := range []struct {
		a, b Contribution
		want *Collation
		err  string
	}{
		{none, none, Binary, ""},
		{declared(NoCase), none, NoCase, ""},
		{byDefault(NoCase), none, NoCase, ""},
		{declared(NoCase), byDefault(Binary), NoCase, ""},
		{byDefault(NoCase), byDefault(Binary), NoCase, ""}, // a defaulted BINARY says nothing
		{byDefault(NoCase), byDefault(RTrim), Binary, ""},
		{byDefault(NoCase), declared(Binary), Binary, ""},
		{declared(NoCase), declared(NoCase), NoCase, ""},
		{explicit(Binary), declared(NoCase), Binary, ""},
		{explicit(NoCase), explicit(NoCase), NoCase, ""},
		{declared(NoCase), declared(RTrim), nil, "ambiguous collation for comparison: column collations NOCASE vs RTRIM differ; apply an explicit COLLATE"},
		{declared(NoCase), declared(Binary), nil, "ambiguous collation for comparison: column collations NOCASE vs BINARY differ; apply an explicit COLLATE"},
		{explicit(NoCase), explicit(RTrim), nil, "conflicting COLLATE clauses in comparison: NOCASE vs RTRIM"},
		{explicit(NoCase), explicit(Binary), nil, "conflicting COLLATE clauses in comparison: NOCASE vs BINARY"},
	} {
		got, err := ResolveComparison(c.a, c.b)
		if c.err != "" {
			require.ErrorIs(t, err, ERROR)
			assert.EqualError(t, err, c.err)
			_, err = ResolveComparison(c.b, c.a)
			assert.ErrorIs(t, err, ERROR)
			continue
		}
		require.NoError(t, err)
		assert.Same(t, c.want, got)
		got, err = ResolveComparison(c.b, c.a)
		require.NoError(t, err)
		assert.Same(t, c.want, got, "resolution is symmetric")
	}
}

func TestMergeContributions(t *testing.T) {
	got, err := MergeContributions(Contribution{}, declared(NoCase), byDefault(RTrim), declared(NoCase))
	require.NoError(t, err)
	assert.Equal(t, declared(NoCase), got)

	got, err = MergeContributions(declared(NoCase), declared(RTrim), explicit(Binary))
	require.NoError(t, err)
	assert.Equal(t, explicit(Binary), got, "a higher rank settles what is ambiguous below")

	got, err = MergeContributions(byDefault(NoCase), byDefault(Binary), byDefault(RTrim))
	require.NoError(t, err)
	assert.Equal(t, Contribution{}, got)
	assert.Same(t, Binary, got.Effective())

	_, err = MergeContributions(Contribution{}, declared(RTrim), declared(RTrim), declared(NoCase), declared(Binary))
	assert.ErrorContains(t, err, "column collations RTRIM vs NOCASE differ")

	got, err = MergeContributions()
	require.NoError(t, err)
	assert.Equal(t, Contribution{}, got)
}

func TestPropagateContributions(t *testing.T) {
	assert.Equal(t, declared(NoCase), PropagateContributions(declared(NoCase), byDefault(Binary), Contribution{}))
	assert.Equal(t, Contribution{}, PropagateContributions(declared(NoCase), declared(RTrim)))
	assert.Equal(t, Contribution{}, PropagateContributions(explicit(NoCase), explicit(RTrim), declared(Binary)))
	assert.Equal(t, explicit(RTrim), PropagateContributions(declared(NoCase), explicit(RTrim)))
	assert.Equal(t, Contribution{}, PropagateContributions(byDefault(Binary)))
}

// A collation of the embedding program that replaces NOCASE is the same collation by name.
func TestCollationsConflictByName(t *testing.T) {
	mine := &Collation{Name: "NOCASE", Compare: compareFold}
	got, err := ResolveComparison(declared(NoCase), declared(mine))
	require.NoError(t, err)
	assert.Same(t, NoCase, got)
}

// Merging in steps ends where merging at once does, unless a step fails.
func TestMergingIsAssociative(t *testing.T) {
	contribution := rapid.Custom(func(t *rapid.T) Contribution {
		return Contribution{
			rapid.SampledFrom([]*Collation{nil, Binary, NoCase, RTrim}).Draw(t, "collation"),
			rapid.SampledFrom([]Rank{RankDeclared, RankExplicit}).Draw(t, "rank"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := contribution.Draw(t, "a"), contribution.Draw(t, "b"), contribution.Draw(t, "c")
		all, errAll := MergeContributions(a, b, c)
		ab, err := MergeContributions(a, b)
		if err != nil {
			return
		}
		steps, err := MergeContributions(ab, c)
		assert.Equal(t, errAll, err)
		assert.Equal(t, all, steps)
	})
}
