// Package lint finds what is allowed in a schema and yet likely to be regretted. Rules look at one object at a time, as it is declared
// and as it would be built; the hazards of a plan are findings, too. Each rule has a code, a severity, and a page in docs/lint.md.
package lint
