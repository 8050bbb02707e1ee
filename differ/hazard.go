package differ

import (
	"cmp"
	"slices"
)

// Severity says how bad a hazard is. A caller that applies a plan sets the highest one that it puts up with.
type Severity uint8

// The severities.
const (
	// Info: worth knowing.
	Info Severity = iota
	// Warning: the step may fail, or surprise, depending on the rows.
	Warning
	// Failure: the step will be refused.
	Failure
	// Destructive: rows or values are lost.
	Destructive
)

func (s Severity) String() string {
	return [...]string{"info", "warning", "failure", "destructive"}[s]
}

// HazardCode names a kind of hazard. Codes are stable.
type HazardCode string

// The codes.
const (
	DropsRows        HazardCode = "drops-rows"
	DropsValues      HazardCode = "drops-values"
	OverwritesRows   HazardCode = "overwrites-rows"
	OverwritesValues HazardCode = "overwrites-values"
	LikelyRename     HazardCode = "likely-rename"
	NotNullNoValue   HazardCode = "not-null-without-value"
	NotNullTightened HazardCode = "not-null-tightened"
	RetypeRefuses    HazardCode = "retype-refuses"
	RetypeLoses      HazardCode = "retype-loses"
	RetypeChanges    HazardCode = "retype-changes"
	RekeyCollides    HazardCode = "rekey-collides"
	UniqueCollides   HazardCode = "unique-collides"
	CollationMerges  HazardCode = "collation-merges"
	ForeignKeyRows   HazardCode = "foreign-key-rows"
	ParentNotKey     HazardCode = "foreign-key-parent-not-key"
	ParentMissing    HazardCode = "foreign-key-parent-missing"
	CheckUntested    HazardCode = "check-untested"
	RulesReached     HazardCode = "rules-reached"
	Recomputes       HazardCode = "recomputes"
	BreaksView       HazardCode = "breaks-view"
	ReadsByPosition  HazardCode = "reads-by-position"
	Refused          HazardCode = "refused"

	AssertionUntested HazardCode = "assertion-untested"

	DropsUnique     HazardCode = "drops-unique"
	DropsForeignKey HazardCode = "drops-foreign-key"
	DropsCheck      HazardCode = "drops-check"
	DropsAssertion  HazardCode = "drops-assertion"
	DropsNotNull    HazardCode = "drops-not-null"
	RewritesMany    HazardCode = "rewrites-many-rows"

	StatementChanges HazardCode = "statement-changes-values"
	StatementDeletes HazardCode = "statement-deletes-rows"
)

// Hazard is something about a step that a reviewer has to know.
type Hazard struct {
	Code     HazardCode
	Severity Severity
	Message  string
	// Avoid says what to write or do instead, "" when there is nothing.
	Avoid string
	// Examples are values of rows that show it.
	Examples []Example
	// Rename is the hint that makes a rename of what looks like one, nil for other hazards.
	Rename *RenameHint
}

// hazardRules find the hazards of a step, each those of its subject.
var hazardRules = []func(c *comparison, s *step) []Hazard{
	lostRows, likelyRenames, missingValues, retypes, collisions, foreignKeyHazards, untestedChecks, untestedAssertions, reachedRules, brokenViews, droppedRules, costlyRewrites, refusals,
}

func (c *comparison) hazards(s *step) []Hazard {
	var out []Hazard
	for _, rule := range hazardRules {
		out = append(out, rule(c, s)...)
	}
	slices.SortStableFunc(out, func(a, b Hazard) int { return cmp.Compare(b.Severity, a.Severity) })
	return out
}

// hasRows reports whether the live table of a step holds rows, as far as anybody knows.
func (c *comparison) hasRows(s *step) bool { return s.table != nil && c.opts.Stats.rows(s.table) != 0 }

// one gives a list of one hazard.
func one(code HazardCode, severity Severity, message, avoid string) []Hazard {
	return []Hazard{{Code: code, Severity: severity, Message: message, Avoid: avoid}}
}
