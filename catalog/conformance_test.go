package catalog

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// Every table that the conformance files create can be built, prints, and reads back from its record as the same table; every
// declaration in them resolves without faults of its own making.
func TestConformanceDefinitions(t *testing.T) {
	files, err := filepath.Glob("../golden/conformance/*/*.test")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no conformance files")
	}
	for _, file := range files {
		run := definitionRun{env: testEnv()}
		datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
			if d.Expected == "ok\n" {
				run.exec(t, d.Pos, d.Input)
			}
			return d.Expected
		})
	}
}

// definitionRun follows the settings of one file.
type definitionRun struct{ env BuildEnv }

func (r *definitionRun) exec(t *testing.T, at, sql string) {
	stmts, err := parse.Stmts(ast.NewSource("", sql))
	require.NoError(t, err, at)
	for _, stmt := range stmts {
		switch n := stmt.(type) {
		case *ast.PragmaStmt:
			r.pragma(n)
		case *ast.CreateTableStmt:
			require.NoError(t, CheckItemTags(n), at)
			table, err := BuildTable(n, r.env)
			require.NoError(t, err, at)
			requireStable(t, at, table)
		case *ast.DeclareSchemaStmt:
			d, err := Declare(n, Origin{})
			require.NoError(t, err, at)
			if d.Check() != nil {
				continue
			}
			for table := range d.Resolve(r.env).Snapshot.Tables(d.Schema()) {
				if table.Maintained == nil || table.Maintained.Declared {
					requireStable(t, at, table)
				}
			}
		}
	}
}

func (r *definitionRun) pragma(n *ast.PragmaStmt) {
	var value string
	if n.Value != nil {
		value = types.ToText(LiteralValue(n.Value))
	}
	switch strings.ToLower(n.Name.Text) {
	case nullabilitySetting, "column_nullability_default", "nullable_default":
		r.env.Nullable = value == "nullable"
	case collationSetting:
		r.env.Collation, _ = r.env.Types.Collation(value)
	}
}

func requireStable(t *testing.T, at string, table *Table) {
	rec := EncodeTable(table)
	again, err := DecodeTable(rec, types.NewRegistry())
	require.NoError(t, err, at)
	require.Equal(t, rec, EncodeTable(again), at)
	require.Equal(t, NormalTable(table), NormalTable(again), at)
}
