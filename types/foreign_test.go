package types

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckDeclared(t *testing.T) {
	r := NewRegistry()
	for _, name := range []string{"", "integer", "INT", "nvarchar", "longtext", "int8", "varchar", "double", "Json", "any", "tinyblob", "float8", "mediumint"} {
		assert.NoError(t, r.CheckDeclared(name), name)
	}
	for name, want := range map[string]string{
		"txet": "Unknown type 'txet'; did you mean 'text'?", "interger": "", "Strng": "Unknown type 'Strng'; did you mean 'string'?",
		"booelan": "Unknown type 'booelan'; did you mean 'boolean'?", "dtae": "Unknown type 'dtae'; did you mean 'date'?", "foo": "Unknown type 'foo'",
		"serial": "Unknown type 'serial'", "point": "Unknown type 'point'", "enum": "Unknown type 'enum'", "jsonb": "Unknown type 'jsonb'",
	} {
		err := r.CheckDeclared(name)
		if want == "" { // it contains INT
			assert.NoError(t, err, name)
			continue
		}
		require.ErrorIs(t, err, ERROR, name)
		assert.Contains(t, err.Error(), want)
	}
	require.NoError(t, r.RegisterType(&Type{Name: "POINT", Class: KindText}))
	assert.NoError(t, r.CheckDeclared("point"), "a type of the embedding program")
}
