package function

import (
	"github.com/quereus/quereus-migrate/types"
)

// lensFacts are the functions of logical schemas (docs/reference/functions.md). No statement makes a logical schema, so there is nothing for them
// to list: each refuses the schema that it is asked about.
func lensFacts() []*Function {
	return []*Function{
		aboutLens("quereus_effective_lens", 2, textColumn("logical_column"), textColumn("source"), textColumn("inverse"),
			textOrNull("advertised_member"), textOrNull("advertisement_anchor"), textColumn("effective_sql")),
		aboutLens("quereus_basis_backfill", 1, textColumn("logical_table"), textColumn("basis_relation"), textColumn("category"),
			textOrNull("backfill_sql"), textColumn("generated_columns"), textColumn("missing_columns"), textColumn("reason")),
		aboutLens("quereus_lens_advisories", 1, textColumn("logical_table"), textColumn("code"), textOrNull("constraint"),
			textOrNull("column"), textColumn("status"), textOrNull("rationale"), textOrNull("current_fingerprint"),
			textOrNull("recorded_fingerprint"), textColumn("message")),
	}
}

func aboutLens(name string, args int, columns ...Column) *Function {
	return lists(name, args, columns, func(c *Call, args []types.Value, _ emitter) error {
		schema, err := nameArgument(name, "schema", args[0])
		if err != nil {
			return err
		}
		if !c.Catalog.HasSchema(schema) {
			return types.Errorf(types.NOTFOUND, "Schema not found: %s", schema)
		}
		return types.Errorf(types.ERROR, "'%s' is not a logical schema", schema)
	})
}
