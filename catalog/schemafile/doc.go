// Package schemafile reads declarations of schemas from files and folders, SQL or YAML, through fs.FS.
//
// # SQL
//
// A file holds DECLARE SCHEMA statements, or plain CREATE statements of tables, indexes, views, materialized views and assertions,
// which describe schema main or the one that they are qualified with. Pragmas may stand before them: default_column_nullability,
// default_collation, default_vtab_module, default_vtab_args. They hold for their file. So may nondeterministic_schema, which holds
// for all files that are read together.
//
// Scripts and dumps of SQLite are read where they mean something here (see the package parse): BEGIN, COMMIT and pragmas of a connection say
// nothing of a schema, DROP may clear the way for what the file creates behind it, and INSERT of literals gives the seed of its table. What
// is read as something that is not the same in every case is a note of the declaration.
//
// # YAML
//
// A *.yaml or *.yml file holds one mapping. What the dialect has a syntax for is written in it, as text; the mapping gives the outline.
// Keys are all optional unless told; unknown ones are faults.
//
//	schema: main                      # the schema's name; main without it
//	version: '2'
//	settings:                         # as the pragmas of an SQL file
//	  default_collation: nocase
//	tables:
//	  account:
//	    columns:                      # required; a name and what stands behind it in CREATE TABLE …
//	      id: integer primary key
//	      email:                      # … or its parts
//	        type: text
//	        null: true                # false: not null
//	        collate: nocase
//	        default: "'none'"         # an expression; or generated: an expression, stored: true
//	        constraints: [unique, constraint ck check (email <> '')]
//	        tags: {label: Mail}
//	    constraints:                  # of the table, one an entry
//	      - constraint uq unique (email, id)
//	    using: memory (size = 5)
//	    maintained: select …          # or {columns: [a, b], query: select …}
//	    context: {actor: text null}
//	    tags: {caption: Accounts, rank: 1}
//	indexes:
//	  ix_email: {table: account, columns: [email desc, lower(email)], unique: true, where: id > 0, tags: {}}
//	views:
//	  names: select email from account          # or {columns: […], query: …, tags: {…}}
//	materialized_views:
//	  totals: {using: memory, query: select …}
//	assertions:
//	  few: (select count(*) from account) < 100
//	seeds:
//	  account: [[1, a@b], [2, null]]            # or {columns: [id], rows: [[1], [2]]}
//
// Objects keep their order within their kind. A value of a tag or a seed is text, a number in SQL's spelling, true, false, null or
// !!binary; what YAML takes for a date is text. Every definition that the parser reads can be written so: a column as its text, the
// rest by its parts.
//
// # Several files
//
// A folder is read with everything below it, in order of path: *.sql, *.yaml, *.yml, but for names that begin with a dot and the
// tool's configuration. Files add to a schema together, unless one of them declares it as a whole with DECLARE SCHEMA. A file or a
// folder that declares nothing is a fault.
//
// The package resolves nothing and knows no database; what it gives has passed catalog.Declared.Check.
package schemafile
