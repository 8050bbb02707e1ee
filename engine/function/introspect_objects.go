package function

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// objectLists is schema() (docs/reference/functions.md).
func objectLists() []*Function {
	return []*Function{lists("schema", 0, []Column{
		textColumn("schema"), textColumn("type"), textColumn("name"), textColumn("tbl_name"), textOrNull("sql"), textOrNull("tags"),
	}, listObjects)}
}

// listObjects emits the objects of each schema: tables, each with its indexes behind it, then views. Functions belong to no schema
// and are listed with main.
func listObjects(c *Call, _ []types.Value, emit emitter) error {
	session := c.Session
	session.Form = catalog.Session
	for _, schema := range c.Catalog.Schemas() {
		for _, t := range c.Catalog.TablesInOrder(schema) {
			if !emitTable(t, session, emit) {
				return nil
			}
		}
		for _, v := range c.Catalog.ViewsInOrder(schema) {
			unqualified := catalog.FormatOptions{Schema: v.Schema}
			if !emitObject(emit, v.Schema, "view", v.Name, v.Name, catalog.FormatView(v, unqualified), v.Tags) {
				return nil
			}
		}
		if schema == catalog.MainSchema && !emitFunctions(c.Functions, emit) {
			return nil
		}
	}
	return nil
}

func emitObject(emit emitter, schema, kind, name, table, sql string, tags catalog.Tags) (more bool) {
	return emit(types.Text(schema), types.Text(kind), types.Text(name), types.Text(table), types.Text(sql), tags.JSON())
}

// emitTable emits a table and its indexes: the exposed structures of its UNIQUE constraints, which are as old as the table, and
// the user's.
func emitTable(t *catalog.Table, session catalog.FormatOptions, emit emitter) (more bool) {
	kind, form := "table", session
	if t.Maintained != nil {
		kind, form.Form = "materialized_view", catalog.Explicit
	}
	if !emitObject(emit, t.Schema, kind, t.Name, t.Name, catalog.FormatTable(t, form), t.Tags) {
		return false
	}
	for _, u := range t.Uniques {
		if u.IsExposed() && !emitObject(
			emit, t.Schema, "index", t.StructureName(u), t.Name, catalog.FormatStructure(t, u, session), u.StructureTags) {
			return false
		}
	}
	for _, ix := range t.Indexes {
		if !emitObject(emit, t.Schema, "index", ix.Name, t.Name, catalog.FormatIndex(t, ix, session), ix.Tags) {
			return false
		}
	}
	return true
}

func emitFunctions(r *Registry, emit emitter) (more bool) {
	for _, f := range r.All() {
		if !f.Hidden && !emitObject(emit, catalog.MainSchema, "function", f.Name, f.Name, f.Signature(), nil) {
			return false
		}
	}
	return true
}
