package function

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// tableFacts are table_info and index_info (docs/reference/functions.md).
func tableFacts() []*Function {
	return []*Function{
		aboutTable("table_info", []Column{
			integerColumn("cid"), textColumn("name"), textColumn("type"), integerColumn("notnull"), textOrNull("dflt_value"),
			integerColumn("pk"), textOrNull("tags"), textColumn("collation"), integerColumn("generated"),
		}, listColumns),
		aboutTable("index_info", []Column{
			textColumn("index_name"), integerColumn("seq"), textOrNull("column_name"), integerColumn("desc"), textOrNull("collation"),
			integerColumn("unique"), integerColumn("partial"), textOrNull("tags"),
		}, listIndexes),
	}
}

func listColumns(_ *Call, t *catalog.Table, emit emitter) {
	for i, col := range t.Columns {
		generated := int64(0)
		if col.Generated != nil {
			generated = 1
			if col.Stored {
				generated = 2
			}
		}
		if !emit(types.Int(int64(i)), types.Text(col.Name), types.Text(col.Type.Name), flag(col.NotNull), expressionText(col.Default),
			flag(t.InKey(i)), col.Tags.JSON(), types.Text(col.Collation.Name), types.Int(generated)) {
			return
		}
	}
}

// listIndexes emits the members of the listed indexes: the exposed structures of UNIQUE constraints, which do not call themselves
// unique, and the user's.
func listIndexes(_ *Call, t *catalog.Table, emit emitter) {
	for _, u := range t.Uniques {
		if u.IsExposed() && !emitStructure(t, u, emit) {
			return
		}
	}
	for _, ix := range t.Indexes {
		if !emitIndex(t, ix, emit) {
			return
		}
	}
}

func emitStructure(t *catalog.Table, u *catalog.Unique, emit emitter) (more bool) {
	for seq, i := range u.Columns {
		col := t.Columns[i]
		if !emit(types.Text(t.StructureName(u)), types.Int(int64(seq)), types.Text(col.Name), flag(false),
			types.Text(col.Collation.Name), flag(false), flag(false), u.StructureTags.JSON()) {
			return false
		}
	}
	return true
}

func emitIndex(t *catalog.Table, ix *catalog.Index, emit emitter) (more bool) {
	for seq, m := range ix.Members {
		column := types.Null // an expression
		if m.X == nil {
			column = types.Text(t.Columns[m.Column].Name)
		}
		if !emit(types.Text(ix.Name), types.Int(int64(seq)), column, flag(m.Desc),
			types.Text(m.Collation.Name), flag(ix.Unique), flag(ix.Where != nil), ix.Tags.JSON()) {
			return false
		}
	}
	return true
}
