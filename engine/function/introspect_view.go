package function

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// viewFacts are view_info and column_info (docs/reference/functions.md). What can be written through a view is derived by the binder; without
// it they answer for what is no view, and refuse the rest.
func viewFacts() []*Function {
	return []*Function{
		lists("view_info", -1, []Column{
			textColumn("schema"), textColumn("name"), textColumn("is_insertable_into"), textColumn("is_updatable"),
			textColumn("is_deletable"), textColumn("effective_targets"),
		}, listViews),
		lists("column_info", 1, []Column{
			textColumn("schema"), textColumn("name"), integerColumn("cid"), textColumn("column_name"), textColumn("is_updatable"),
			textOrNull("base_table"), textOrNull("base_column"),
		}, listWritableColumns),
	}
}

func listViews(c *Call, args []types.Value, _ emitter) error {
	name := ""
	if len(args) == 1 {
		var err error
		if name, err = nameArgument("view_info", "view", args[0]); err != nil {
			return err
		}
	}
	for _, schema := range c.Catalog.Schemas() {
		for _, v := range c.Catalog.ViewsInOrder(schema) {
			if len(args) == 0 || types.EqualFold(v.Name, name) {
				return types.Errorf(types.UNSUPPORTED, "view_info is not supported for view '%s'", v.Name)
			}
		}
	}
	return nil
}

func listWritableColumns(c *Call, args []types.Value, emit emitter) error {
	name, err := nameArgument("column_info", "table or view", args[0])
	if err != nil {
		return err
	}
	relation := findRelation(c, name)
	if relation == nil {
		return types.Errorf(types.ERROR, "'%s' not found", name)
	}
	t, isTable := relation.(*catalog.Table)
	if !isTable || t.Maintained != nil {
		return types.Errorf(types.UNSUPPORTED, "column_info is not supported for view '%s'", name)
	}
	for i, col := range t.Columns {
		writable := col.Generated == nil
		base, column := types.Null, types.Null
		if writable {
			base, column = types.Text(t.Name), types.Text(col.Name)
		}
		if !emit(types.Text(t.Schema), types.Text(t.Name), types.Int(int64(i)), types.Text(col.Name), yesNo(writable), base, column) {
			break
		}
	}
	return nil
}
