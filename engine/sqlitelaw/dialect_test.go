package sqlitelaw

// dialect lists where the two dialects differ on purpose, and what the generator does about it.
var dialect = []struct{ what, here, sqlite, around string }{
	{"nullability", "a column is NOT NULL unless it says null", "a column may be NULL", "columns are declared for each side"},
	{"division", "1/2 is 0.5", "1/2 is 0", "no / on integers"},
	{"truth values", "BOOLEAN", "INTEGER 0 and 1", "false and true are compared as 0 and 1; conditions are not added or sorted by"},
	{"order of NULL", "first, in both directions", "first, last with DESC", "every key says nulls first or nulls last"},
	{"integers", "of any size", "64 bits, beyond them REAL", "values stay small"},
	{"comparison of text and numbers", "converts the text", "ranks text above numbers", "comparisons stay within a type"},
	{"concatenation", "of a number writes as TEXT does here", "as there", "|| takes text alone"},
	{"letters", "upper and lower know Unicode", "ASCII", "texts are ASCII where case matters"},
	{"bare columns in a grouped query", "refused", "any row's", "grouped queries read keys and aggregates"},
	{"rank and kin over a window without ORDER BY", "refused", "all rows are peers", "they have an ORDER BY"},
	{"NULL IN an empty subquery", "null", "false", "what IN looks up in a subquery is never NULL"},
	{"an aggregate of an enclosing query's columns alone", "belongs to the query it stands in", "to the enclosing one", "aggregates read columns of their own query"},
	{"set operations", "a chain groups to the right", "to the left", "chains are of one operator that does not mind, or of one except"},
}
