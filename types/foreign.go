package types

import (
	"slices"
	"strings"
)

// foreignTypes say what to write for types of other systems that a column must not take for BLOB by their spelling.
var foreignTypes = map[string]string{
	"SERIAL": "integer default (coalesce((select max(id) from t), 0) + mutation_ordinal())", "BIGSERIAL": "integer default (coalesce((select max(id) from t), 0) + mutation_ordinal())",
	"SMALLSERIAL": "integer default (coalesce((select max(id) from t), 0) + mutation_ordinal())", "IDENTITY": "integer",
	"JSONB": "json", "HSTORE": "json",
	"TIMESTAMPTZ": "datetime", "DATETIME2": "datetime", "DATETIMEOFFSET": "datetime", "SMALLDATETIME": "datetime", "TIMETZ": "time", "YEAR": "integer",
	"UUID": "text, or blob for its sixteen bytes", "UNIQUEIDENTIFIER": "text, or blob for its sixteen bytes",
	"MONEY": "numeric", "SMALLMONEY": "numeric", "NUMBER": "numeric", "FIXED": "numeric", "DEC": "numeric",
	"ENUM": "text with check (column in ('…', '…'))", "SET": "text, or json for a list",
	"BYTEA": "blob", "IMAGE": "blob", "RAW": "blob", "ROWVERSION": "blob", "BIT": "boolean, or blob for several bits", "VARBIT": "blob",
	"INET": "text", "CIDR": "text", "MACADDR": "text", "XML": "text", "CITEXT": "text collate nocase", "NAME": "text", "REGCLASS": "text",
	"TSVECTOR": "text", "POINT": "json", "GEOMETRY": "json or blob", "GEOGRAPHY": "json or blob", "POLYGON": "json", "BOX": "json", "LINE": "json",
	"CIRCLE": "json", "ARRAY": "json", "OID": "integer", "BOOLEAN[]": "json", "ROWID": "integer",
}

// CheckDeclared refuses a type name that a column would take for BLOB, or for something else by accident of its spelling, though its writer
// meant another: ERROR with what to write. Exact names, those of other systems that name a type here by their ending or beginning
// (nvarchar, longtext, int8) and no name at all pass.
func (r *Registry) CheckDeclared(name string) error {
	upper := strings.ToUpper(name)
	if name == "" || r.IsKnown(upper) {
		return nil
	}
	if write, ok := foreignTypes[upper]; ok {
		return &Error{Code: ERROR, Message: "Unknown type '" + name + "'", Hint: "write: " + write}
	}
	if r.Lookup(upper) != TypeBlob || strings.Contains(upper, "BLOB") {
		return nil
	}
	e := &Error{Code: ERROR, Message: "Unknown type '" + name + "'"}
	if near := Nearest(upper, r.typeNames()); near != "" {
		e.Message += "; did you mean '" + strings.ToLower(near) + "'?"
	} else {
		e.Hint = "the types are integer, real, numeric, text, blob, boolean, date, time, datetime, timestamp, timespan, json and any"
	}
	return e
}

// typeNames lists the exact names of all types.
func (r *Registry) typeNames() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var names []string
	for name := range r.types {
		if name != TypeNull.Name {
			names = append(names, name)
		}
	}
	for name := range aliases {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
