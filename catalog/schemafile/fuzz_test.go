package schemafile

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// Whatever a file holds, reading it gives a declaration or a fault of that file.
func FuzzRead(f *testing.F) {
	f.Add("f.yaml", sampleYAML)
	f.Add("f.yaml", "tables: {t: {columns: {id: integer primary key}}}\nseeds: {t: [[1]]}")
	f.Add("f.yaml", "a: &x [*x]")
	f.Add("f.sql", "pragma default_collation = nocase; create table a (id integer primary key); declare schema s { seed a ((1)) }")
	f.Fuzz(func(t *testing.T, name, text string) {
		all, err := Read(ast.NewSource("d/"+name, text))
		if err != nil {
			var at *catalog.SourceError
			require.True(t, errors.As(err, &at), "%v", err)
			return
		}
		require.NotEmpty(t, all)
	})
}
