package types

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLookup(t *testing.T) {
	r := NewRegistry()
	for want, names := range map[*Type]string{
		TypeInteger:   "INTEGER INT BIGINT SMALLINT TINYINT MEDIUMINT InTeGeR unsignedint int8 charint point",
		TypeReal:      "REAL FLOAT DOUBLE float8 realistic",
		TypeNumeric:   "NUMERIC DECIMAL mydecimal numericish",
		TypeText:      "TEXT VARCHAR CHAR CHARACTER CLOB STRING nvarchar nchar longtext",
		TypeBlob:      "BLOB BYTES BINARY VARBINARY mediumblob money uuid geometry jsonb datetimeoffset timestamptz whatever strings",
		TypeBoolean:   "BOOLEAN BOOL boolish",
		TypeDate:      "DATE",
		TypeTime:      "TIME",
		TypeDatetime:  "DATETIME",
		TypeTimestamp: "TIMESTAMP",
		TypeTimespan:  "TIMESPAN INTERVAL DURATION interval",
		TypeJSON:      "JSON Json",
		TypeAny:       "ANY any",
	} {
		for _, name := range strings.Fields(names) {
			assert.Same(t, want, r.Lookup(name), name)
		}
	}
	assert.Same(t, TypeInteger, r.Lookup("unsigned big int"))
	assert.Same(t, TypeReal, r.Lookup("double precision"))
	assert.Same(t, TypeBlob, r.Lookup(""))
	assert.Same(t, TypeBlob, r.Lookup("NULL"), "NULL is no type of columns")
}

func TestIsKnown(t *testing.T) {
	r := NewRegistry()
	for _, name := range []string{"integer", "BIGINT", "interval", "any"} {
		assert.True(t, r.IsKnown(name), name)
	}
	for _, name := range []string{"nvarchar", "uuid", "", "null", "int8"} {
		assert.False(t, r.IsKnown(name), name)
	}
}

func TestRegisterType(t *testing.T) {
	r := NewRegistry()
	point := &Type{Name: "POINT", Class: KindText}
	require.NoError(t, r.RegisterType(point))
	assert.Same(t, point, r.Lookup("Point"), "an exact name wins over the fallback")
	assert.True(t, r.IsKnown("point"))
	assert.Same(t, TypeInteger, NewRegistry().Lookup("point"), "registries share nothing")

	other := &Type{Name: "POINT", Class: KindText}
	require.NoError(t, r.RegisterType(other))
	assert.Same(t, other, r.Lookup("point"))

	for _, bad := range []*Type{
		{}, {Name: "point"}, {Name: "INTEGER"}, {Name: "BIGINT"}, {Name: "INTERVAL"}, {Name: "NULL"}, {Name: "P", SemanticOrder: true},
	} {
		assert.ErrorIs(t, r.RegisterType(bad), MISUSE, bad.Name)
	}
	assert.Same(t, TypeInteger, r.Lookup("integer"))
}

func TestRegisterCollation(t *testing.T) {
	r := NewRegistry()
	for name, want := range map[string]*Collation{"binary": Binary, "NoCase": NoCase, "RTRIM": RTrim} {
		c, ok := r.Collation(name)
		assert.True(t, ok)
		assert.Same(t, want, c)
	}
	mine := &Collation{Name: "NOCASE", Compare: strings.Compare}
	require.NoError(t, r.RegisterCollation(mine))
	c, err := r.ExprCollation("nocase")
	require.NoError(t, err)
	assert.Same(t, mine, c)

	_, err = r.ExprCollation("unknown_coll")
	require.ErrorIs(t, err, ERROR)
	assert.EqualError(t, err, "no such collation sequence: UNKNOWN_COLL")

	for _, bad := range []*Collation{
		{Name: "BINARY", Compare: strings.Compare}, {Name: "", Compare: strings.Compare}, {Name: "x", Compare: strings.Compare},
		{Name: "X"}, {Name: "X", Compare: strings.Compare, OrderPreserving: true},
	} {
		assert.ErrorIs(t, r.RegisterCollation(bad), MISUSE, bad.Name)
	}
}

func TestCheckCollation(t *testing.T) {
	r := NewRegistry()
	require.NoError(t, r.RegisterCollation(&Collation{Name: "ALPHA", Compare: strings.Compare}))
	for _, typ := range builtinTypes {
		_, err := r.CheckCollation(typ, "nocase", "")
		assert.Equal(t, typ.Temporal || typ == TypeJSON, err != nil, typ.Name)
		c, err := r.CheckCollation(typ, "binary", "")
		require.NoError(t, err)
		assert.Same(t, Binary, c)
	}
	for _, c := range []struct {
		t            *Type
		name, column string
		want         string
	}{
		{TypeText, "klingon", "n", "Unknown collation 'klingon' for type 'TEXT' on column 'n' (expected one of: BINARY, ALPHA, NOCASE, RTRIM)"},
		{TypeText, "klingon", "", "Unknown collation 'klingon' for type 'TEXT' (expected one of: BINARY, ALPHA, NOCASE, RTRIM)"},
		{TypeDate, "nocase", "d", "Unknown collation 'nocase' for type 'DATE' on column 'd' (type supports no collations)"},
		{TypeJSON, "klingon", "", "Unknown collation 'klingon' for type 'JSON' (type supports no collations)"},
	} {
		_, err := r.CheckCollation(c.t, c.name, c.column)
		require.ErrorIs(t, err, ERROR)
		assert.EqualError(t, err, c.want)
	}
}

func TestRegistryIsSafeForConcurrentUse(t *testing.T) {
	r := NewRegistry()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				_ = r.RegisterType(&Type{Name: "MINE"})
				_ = r.RegisterCollation(&Collation{Name: "MINE", Compare: strings.Compare})
				r.Lookup("mine")
				_, _ = r.CheckCollation(TypeText, "klingon", "")
			}
		})
	}
	wg.Wait()
	assert.True(t, r.IsKnown("mine"))
}
