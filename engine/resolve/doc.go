// Package resolve says what the names of a text mean: tables, views, members of WITH, columns, through every form that the language has for
// them (schema paths, aliases, USING and NATURAL, correlation, the row of a CHECK). It is the one set of such rules: whoever renames, drops,
// compares or orders objects asks it, and a law holds the binder to it.
//
// It works on syntax alone. What relations and functions look like it asks a Catalog, and it judges nothing: a text that names what does not
// exist, or names something ambiguous, is walked like any other.
//
// A walk goes through a text clause by clause, with a scope of frames: one a query level, the innermost first. Each clause sees
//
//   - the sources of FROM, in order; a source of its own sees those before it under LATERAL only;
//   - ORDER BY, and in a grouped query HAVING and window calls, the aliases of the select list before the sources;
//   - behind each of them the frames of the queries around.
//
// A bare name means a column of the innermost frame that has one. A qualified name means a column of the innermost source of that name which
// has it. An unqualified relation means a member of WITH, else the first of that name along the schema path; WITH SCHEMA of the first leg of
// a compound covers the whole compound with its WITH, until another leg has its own.
package resolve
