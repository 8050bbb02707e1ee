package function_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

func TestLookup(t *testing.T) {
	r := function.Builtins()
	require.NotNil(t, r.Lookup("ABS", 1, false))
	assert.Nil(t, r.Lookup("abs", 1, true), "table-valued functions have a name space of their own")
	assert.Nil(t, r.Lookup("abs", 2, false))
	assert.Equal(t, 1, r.Lookup("date", 1, false).Args, "an exact count wins")
	assert.Equal(t, -1, r.Lookup("date", 0, false).Args)
	assert.Equal(t, -1, r.Lookup("date", 3, false).Args)
	assert.Nil(t, r.Lookup("trim", 0, false))
	assert.Nil(t, r.Lookup("trim", 3, false))
	for _, absent := range []string{
		"ifnull", "concat", "char", "unicode", "printf", "sign", "trunc", "quote", "changes", "last_insert_rowid", "now", "unixepoch",
		"variance", "stddev", "median", "current_timestamp",
	} {
		for args := range 3 {
			assert.Nil(t, r.Lookup(absent, args, false), absent)
		}
	}
	assert.Nil(t, r.Lookup("min", 2, false))
}

func TestRegister(t *testing.T) {
	r := function.Builtins()
	eval := func(*function.Call, []types.Value) (types.Value, error) { return types.Int(1), nil }
	count := len(r.All())
	require.NoError(t, r.Register(&function.Function{Name: "abs", Args: 1, Eval: eval}))
	assert.Len(t, r.All(), count, "it replaces the one of its name and count")
	assert.Equal(t, function.Result{Type: types.TypeAny, Nullable: true}, r.Lookup("abs", 1, false).Type(nil), "no result type means ANY")
	require.NoError(t, r.Register(&function.Function{Name: "abs", Args: 2, Eval: eval}))
	assert.Len(t, r.All(), count+1)
	assert.NotSame(t, function.Builtins().Lookup("abs", 1, false), r.Lookup("abs", 1, false), "registries do not share registrations")

	for fault, f := range map[string]*function.Function{
		"lower-case":     {Name: "Abs", Args: 1, Eval: eval},
		"not empty":      {Args: 1, Eval: eval},
		"argument count": {Name: "f", Args: -2, Eval: eval},
		"count is":       {Name: "f", Args: -1, Min: 3, Max: 2, Eval: eval},
		"implementation": {Name: "f"},
		"state":          {Name: "f", Kind: function.Aggregate},
		"columns":        {Name: "f", Kind: function.Table},
		"kind":           {Name: "f", Kind: 9, Eval: eval},
	} {
		err := r.Register(f)
		require.ErrorIs(t, err, types.MISUSE, fault)
		assert.ErrorContains(t, err, fault)
	}
}

func TestLookupWindow(t *testing.T) {
	r := function.Builtins()
	for _, c := range []struct {
		name, message string
		args          int
	}{
		{"lower", "Unknown window function: lower", 1}, {"nosuch", "Unknown window function: nosuch", 0}, {"generate_series", "Unknown window function: generate_series", 2},
		{"Row_Number", "Window function row_number expects 0 arguments, got 1", 1}, {"ntile", "Window function ntile expects 1 arguments, got 0", 0},
		{"first_value", "Window function first_value expects 1 arguments, got 2", 2}, {"nth_value", "Window function nth_value expects 2 arguments, got 1", 1},
		{"lag", "lag requires at least one argument", 0}, {"lead", "Window function lead expects at most 3 arguments, got 4", 4},
		{"sum", "Function not found: sum/2", 2},
	} {
		f, err := r.LookupWindow(c.name, c.args)
		assert.Nil(t, f)
		require.ErrorIs(t, err, types.ERROR, c.name)
		assert.EqualError(t, err, c.message)
	}
	for name, needsOrder := range map[string]bool{
		"row_number": false, "rank": true, "dense_rank": true, "percent_rank": true, "cume_dist": true, "lag": true, "lead": true, "ntile": true,
		"first_value": false, "last_value": false, "nth_value": false, "sum": false, "count": false, "group_concat": false,
	} {
		args := map[string]int{"lag": 1, "lead": 3, "ntile": 1, "first_value": 1, "last_value": 1, "nth_value": 2, "sum": 1, "group_concat": 2}[name]
		f, err := r.LookupWindow(name, args)
		require.NoError(t, err)
		require.NoError(t, f.CheckWindow(true))
		if needsOrder {
			assert.EqualError(t, f.CheckWindow(false), "Window function "+name+" requires ORDER BY clause")
		} else {
			assert.NoError(t, f.CheckWindow(false))
		}
	}
}

// TestDeterminism lists what may not stand in DEFAULT, CHECK and GENERATED.
func TestDeterminism(t *testing.T) {
	varying := map[string]bool{}
	for _, f := range function.Builtins().All() {
		if !f.Deterministic {
			varying[f.Name] = true
		}
	}
	want := map[string]bool{}
	for _, name := range []string{
		"date", "time", "datetime", "julianday", "strftime", "epoch_s", "epoch_ms", "epoch_s_frac", "random", "randomblob", "json_patch",
		"schema", "table_info", "index_info", "unique_constraint_info", "check_constraint_info", "foreign_key_info", "view_info",
		"column_info", "assertion_info", "function_info", "quereus_effective_lens", "quereus_basis_backfill", "quereus_lens_advisories",
		"query_plan",
	} {
		want[name] = true
	}
	assert.Equal(t, want, varying)
}
