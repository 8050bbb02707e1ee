package schemafile

import (
	"gopkg.in/yaml.v3"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// table reads an entry of tables.
func (f *yamlFile) table(key, value *yaml.Node) error {
	in, err := f.fields(value, "columns", "constraints", "using", "maintained", "context", "tags")
	if err != nil {
		return err
	}
	if in["columns"] == nil {
		return f.fault(key, "table '%s' has no columns", key.Value)
	}
	t := f.text().add(key, "create table ").name(key).add(key, " (")
	columns, err := f.columns(t, in["columns"])
	if err != nil {
		return err
	}
	constraints := 0
	err = f.items(in["constraints"], func(n *yaml.Node) error {
		constraints++
		t.add(n, ", ").fragment(n)
		return f.scalar(n)
	})
	if err != nil {
		return err
	}
	t.add(key, ")")
	if err := f.tableClauses(t, in); err != nil {
		return err
	}
	stmt, err := parsed[*ast.CreateTableStmt](t)
	if err != nil {
		return err
	}
	if err := f.checkElements(stmt, columns, len(stmt.Constraints) == constraints, in["constraints"]); err != nil {
		return err
	}
	for i, c := range columns {
		if c.tags != nil {
			stmt.Columns[i].Tags, stmt.Columns[i].HasTags = c.tags, true
		}
	}
	if err := f.setTags(&stmt.Tags, &stmt.HasTags, in["tags"]); err != nil {
		return err
	}
	return f.add(t, stmt)
}

// column is a column of a table that is being read.
type column struct {
	key  *yaml.Node
	tags []ast.Tag
}

// columns writes the definitions of columns. Tags are kept apart: behind a named constraint they would be the constraint's.
func (f *yamlFile) columns(t *sqlText, n *yaml.Node) ([]column, error) {
	var out []column
	err := f.each(n, func(k, v *yaml.Node) error {
		if len(out) > 0 {
			t.add(k, ", ")
		}
		t.name(k).add(k, " ")
		tags, err := f.column(t, v)
		out = append(out, column{k, tags})
		return err
	})
	return out, err
}

// column writes what stands behind the name of a column: SQL, or its parts.
func (f *yamlFile) column(t *sqlText, n *yaml.Node) ([]ast.Tag, error) {
	if n.Kind == yaml.ScalarNode {
		if n.ShortTag() != "!!null" {
			t.fragment(n)
		}
		return nil, nil
	}
	in, err := f.fields(n, "type", "null", "collate", "default", "generated", "stored", "constraints", "tags")
	if err != nil {
		return nil, err
	}
	// A default stands behind a collation, which would else be the default's.
	if err := f.part(t, "", in["type"], " "); err != nil {
		return nil, err
	}
	if err := f.flag(t, in["null"], "null ", "not null "); err != nil {
		return nil, err
	}
	if err := f.part(t, "collate ", in["collate"], " "); err != nil {
		return nil, err
	}
	if err := f.part(t, "default (", in["default"], ") "); err != nil {
		return nil, err
	}
	if err := f.part(t, "generated always as (", in["generated"], ") "); err != nil {
		return nil, err
	}
	if err := f.flag(t, in["stored"], "stored ", "virtual "); err != nil {
		return nil, err
	}
	err = f.items(in["constraints"], func(x *yaml.Node) error {
		t.add(x, " ").fragment(x)
		return f.scalar(x)
	})
	if err != nil {
		return nil, err
	}
	return f.tags(in["tags"])
}

// part writes a piece of SQL that is there between two words.
func (f *yamlFile) part(t *sqlText, before string, n *yaml.Node, after string) error {
	if n == nil {
		return nil
	}
	t.add(n, before).fragment(n).add(n, after)
	return f.scalar(n)
}

// flag writes one of two words for a boolean, nothing for none.
func (f *yamlFile) flag(t *sqlText, n *yaml.Node, yes, no string) error {
	if n == nil {
		return nil
	}
	is, err := f.boolean(n)
	if is {
		no = yes
	}
	t.add(n, no)
	return err
}

func (f *yamlFile) boolean(n *yaml.Node) (bool, error) {
	if n == nil {
		return false, nil
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		return false, f.fault(n, "true or false is expected here")
	}
	return types.EqualFold(n.Value, "true"), nil
}

// tableClauses writes what follows the columns of a table.
func (f *yamlFile) tableClauses(t *sqlText, in fields) error {
	if err := f.part(t, " using ", in["using"], ""); err != nil {
		return err
	}
	if n := in["maintained"]; n != nil {
		t.add(n, " maintained")
		if _, err := f.body(t, n, nil); err != nil {
			return err
		}
	}
	if n := in["context"]; n != nil {
		return f.context(t, n)
	}
	return nil
}

// context writes the variables of WITH CONTEXT: name: [type] [null].
func (f *yamlFile) context(t *sqlText, n *yaml.Node) error {
	separator := " with context ("
	err := f.each(n, func(k, v *yaml.Node) error {
		t.add(k, separator).name(k).add(k, " ")
		separator = ", "
		if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!null" {
			return nil
		}
		t.fragment(v)
		return f.scalar(v)
	})
	if separator == ", " {
		t.add(n, ")")
	}
	return err
}

// checkElements holds the parsed columns and constraints to the keys: a piece of SQL that is more than one of them would add others.
func (f *yamlFile) checkElements(stmt *ast.CreateTableStmt, columns []column, sameConstraints bool, constraints *yaml.Node) error {
	for i, c := range columns {
		isNext := i+1 == len(columns) && i+1 == len(stmt.Columns) || i+1 < len(columns) && i+1 < len(stmt.Columns) && stmt.Columns[i+1].Name.Text == columns[i+1].key.Value
		if !isNext {
			return f.fault(c.key, "the SQL of column '%s' defines more than it", c.key.Value)
		}
	}
	switch {
	case sameConstraints:
		return nil
	case constraints == nil:
		return f.fault(columns[len(columns)-1].key, "the SQL of a column defines more than it")
	}
	return f.fault(constraints, "an entry of constraints is not one constraint")
}

// index reads an entry of indexes.
func (f *yamlFile) index(key, value *yaml.Node) error {
	in, err := f.fields(value, "table", "columns", "unique", "where", "tags")
	if err != nil {
		return err
	}
	for _, required := range []string{"table", "columns"} {
		if in[required] == nil {
			return f.fault(key, "index '%s' has no %s", key.Value, required)
		}
	}
	isUnique, err := f.boolean(in["unique"])
	if err != nil {
		return err
	}
	create := "create index "
	if isUnique {
		create = "create unique index "
	}
	t := f.text().add(key, create).name(key).add(key, " on ").name(in["table"]).add(key, " (")
	members := 0
	member := func(n *yaml.Node) error {
		if members++; members > 1 {
			t.add(n, ", ")
		}
		t.fragment(n)
		return f.scalar(n)
	}
	if in["columns"].Kind == yaml.ScalarNode {
		err = member(in["columns"])
	} else {
		err = f.items(in["columns"], member)
	}
	if err != nil {
		return err
	}
	t.add(key, ")")
	if err := f.part(t, " where ", in["where"], ""); err != nil {
		return err
	}
	stmt, err := parsed[*ast.CreateIndexStmt](t)
	if err != nil {
		return err
	}
	if in["columns"].Kind != yaml.ScalarNode && len(stmt.Columns) != members {
		return f.fault(in["columns"], "an entry of columns is not one column or expression")
	}
	if err := f.setTags(&stmt.Tags, &stmt.HasTags, in["tags"]); err != nil {
		return err
	}
	return f.add(t, stmt)
}

// view reads an entry of views.
func (f *yamlFile) view(key, value *yaml.Node) error {
	t := f.text().add(key, "create view ").name(key)
	in, err := f.body(t, value, []string{"tags"})
	if err != nil {
		return err
	}
	stmt, err := parsed[*ast.CreateViewStmt](t)
	if err != nil {
		return err
	}
	if err := f.setTags(&stmt.Tags, &stmt.HasTags, in["tags"]); err != nil {
		return err
	}
	return f.add(t, stmt)
}

// materializedView reads an entry of materialized_views.
func (f *yamlFile) materializedView(key, value *yaml.Node) error {
	t := f.text().add(key, "create materialized view ").name(key)
	in, err := f.body(t, value, []string{"using", "tags"})
	if err != nil {
		return err
	}
	stmt, err := parsed[*ast.CreateMaterializedViewStmt](t)
	if err != nil {
		return err
	}
	if err := f.setTags(&stmt.Tags, &stmt.HasTags, in["tags"]); err != nil {
		return err
	}
	return f.add(t, stmt)
}

// body writes " [(columns)] [using m] as query": a query alone, or its parts beside more keys, which it gives back.
func (f *yamlFile) body(t *sqlText, n *yaml.Node, more []string) (fields, error) {
	if n.Kind == yaml.ScalarNode {
		return nil, f.part(t, " as ", n, "")
	}
	in, err := f.fields(n, append([]string{"columns", "query"}, more...)...)
	if err != nil {
		return nil, err
	}
	if in["query"] == nil {
		return nil, f.fault(n, "a query is missing here")
	}
	if err := f.names(t, in["columns"]); err != nil {
		return nil, err
	}
	if err := f.part(t, " using ", in["using"], ""); err != nil {
		return nil, err
	}
	return in, f.part(t, " as ", in["query"], "")
}

// names writes " (a, b)" for a list of names that is there.
func (f *yamlFile) names(t *sqlText, n *yaml.Node) error {
	separator := " ("
	err := f.items(n, func(x *yaml.Node) error {
		t.add(x, separator).name(x)
		separator = ", "
		return f.scalar(x)
	})
	if separator == ", " {
		t.add(n, ")")
	}
	return err
}

// assertion reads an entry of assertions.
func (f *yamlFile) assertion(key, value *yaml.Node) error {
	t := f.text().add(key, "create assertion ").name(key)
	if err := f.part(t, " check (", value, ")"); err != nil {
		return err
	}
	stmt, err := parsed[*ast.CreateAssertionStmt](t)
	if err != nil {
		return err
	}
	return f.add(t, stmt)
}

// seed reads an entry of seeds: rows, or columns and rows.
func (f *yamlFile) seed(key, value *yaml.Node) error {
	t := f.text().add(key, "declare schema s { seed ").name(key)
	rows := value
	if value.Kind != yaml.SequenceNode {
		in, err := f.fields(value, "columns", "rows")
		if err != nil {
			return err
		}
		if rows = in["rows"]; rows == nil {
			return f.fault(key, "the seed of table '%s' has no rows", key.Value)
		}
		if in["columns"] != nil {
			t.add(key, " values")
			if err := f.names(t, in["columns"]); err != nil {
				return err
			}
			t.add(key, " values")
		}
	}
	separator := " ("
	err := f.items(rows, func(row *yaml.Node) error {
		t.add(row, separator)
		separator = ", "
		return f.seedRow(t, row)
	})
	if err != nil || separator == " (" {
		return err
	}
	stmt, err := parsed[*ast.DeclareSchemaStmt](t.add(key, ") }"))
	if err != nil {
		return err
	}
	return f.add(t, stmt.Items[0])
}

func (f *yamlFile) seedRow(t *sqlText, row *yaml.Node) error {
	separator := "("
	err := f.items(row, func(cell *yaml.Node) error {
		text, err := f.literal(cell)
		t.add(cell, separator, text)
		separator = ", "
		return err
	})
	if separator == "(" {
		t.add(row, "(")
	}
	t.add(row, ")")
	return err
}

// tags reads a mapping of tags; nil for none.
func (f *yamlFile) tags(n *yaml.Node) ([]ast.Tag, error) {
	if n == nil {
		return nil, nil
	}
	var out []ast.Tag
	err := f.eachExact(n, func(k, v *yaml.Node) error {
		value, err := f.value(v)
		if err != nil {
			return err
		}
		out = append(out, ast.Tag{Key: ast.Ident(k.Value), Value: ast.LiteralOf(value)})
		return nil
	})
	return out, err
}

// setTags gives a definition the tags of a mapping that is there.
func (f *yamlFile) setTags(tags *[]ast.Tag, has *bool, n *yaml.Node) error {
	list, err := f.tags(n)
	if err == nil && n != nil {
		*tags, *has = list, true
	}
	return err
}

// add adds what a statement made of t defines to the declaration.
func (f *yamlFile) add(t *sqlText, item ast.DeclareItem) error {
	return f.declared.Add(item, catalog.Origin{Source: f.src, Map: t.toFile}, f.settings)
}
