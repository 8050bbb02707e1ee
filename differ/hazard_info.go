package differ

import "strings"

// HazardInfo tells about a kind of hazard. docs/hazards.md has a section for each.
type HazardInfo struct {
	// ID is the family, two letters, with a number: stable, and what the tool shows and takes.
	ID string
	// Name is the code in words.
	Name HazardCode
	// Title says in a line what the hazard is.
	Title string
}

// Family is the two letters that an id begins with.
func (i HazardInfo) Family() string { return strings.TrimRight(i.ID, "0123456789") }

func (i HazardInfo) matches(code string) bool {
	return strings.EqualFold(code, i.ID) || strings.EqualFold(code, string(i.Name)) || strings.EqualFold(code, i.Family())
}

// HazardFamily is a group of hazards.
type HazardFamily struct{ ID, Title string }

// HazardFamilies lists the families.
func HazardFamilies() []HazardFamily { return hazardFamilies }

// HazardInfos lists all kinds of hazard, by family.
func HazardInfos() []HazardInfo { return hazardInfos }

// Info finds what there is to tell about a code; the zero value for one that is none.
func (c HazardCode) Info() HazardInfo {
	for _, i := range hazardInfos {
		if i.Name == c {
			return i
		}
	}
	return HazardInfo{}
}

var hazardFamilies = []HazardFamily{
	{"DS", "rows or values are lost"},
	{"DD", "whether it goes well depends on the rows"},
	{"BC", "readers break, or see something else"},
	{"CD", "a rule on the rows goes"},
	{"RW", "rows are written anew"},
	{"RN", "names that look like a rename"},
	{"SC", "the schema says something odd"},
	{"CF", "certain to fail"},
}

var hazardInfos = []HazardInfo{
	{"DS101", DropsRows, "a table is dropped with its rows"},
	{"DS102", DropsValues, "a column is dropped with its values"},
	{"DS103", OverwritesRows, "the rows of a table become those of a query"},
	{"DS104", OverwritesValues, "the values of a column become those of an expression"},
	{"DS105", RetypeLoses, "values lose something by a change of type"},
	{"DS106", RetypeChanges, "values are spelled otherwise after a change of type"},
	{"DS107", StatementDeletes, "a DELETE that was written into the plan"},
	{"DS108", StatementChanges, "an UPDATE that was written into the plan"},

	{"DD101", NotNullNoValue, "a NOT NULL column is added and has no value for the rows that are there"},
	{"DD102", NotNullTightened, "a column becomes NOT NULL and may hold NULL"},
	{"DD103", RetypeRefuses, "values may not convert to the new type"},
	{"DD104", RekeyCollides, "rows may be equal under the new key"},
	{"DD105", UniqueCollides, "rows may be equal under a new UNIQUE"},
	{"DD106", CollationMerges, "rows may become equal under another collation"},
	{"DD107", ForeignKeyRows, "rows may have no parent under a new foreign key"},
	{"DD108", CheckUntested, "rows may break a new CHECK"},
	{"DD109", AssertionUntested, "rows may break a new assertion"},
	{"DD110", RulesReached, "rules that stay are judged anew on changed values"},

	{"BC101", BreaksView, "a view reads what goes"},
	{"BC102", ReadsByPosition, "readers without names of columns meet another order"},

	{"CD101", DropsUnique, "a uniqueness rule goes"},
	{"CD102", DropsForeignKey, "a foreign key goes"},
	{"CD103", DropsCheck, "a CHECK goes"},
	{"CD104", DropsAssertion, "an assertion goes"},
	{"CD105", DropsNotNull, "a column may hold NULL from then on"},

	{"RW101", Recomputes, "generated columns are computed anew"},
	{"RW102", RewritesMany, "a million rows or more are written anew"},

	{"RN101", LikelyRename, "what goes looks like what comes, under another name"},

	{"SC101", ParentNotKey, "a foreign key refers to columns that are no key"},
	{"SC102", ParentMissing, "a foreign key refers to a table that is not there"},

	{"CF101", Refused, "the statement will be refused, whatever the rows"},
}
