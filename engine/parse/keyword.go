package parse

import "strings"

// word is a word that the grammar knows. The order of the constants is that of wordList and groups them by class.
type word uint8

const (
	noWord word = iota // any other name
	wAbort
	wAdd
	wAll
	wAlter
	wAlways
	wAnalyze
	wAnd
	wApply
	wAs
	wAsc
	wAssertion
	wAutoincrement
	wBegin
	wBetween
	wBy
	wCase
	wCast
	wCollate
	wCommit
	wConflict
	wConstraint
	wCreate
	wCross
	wCurrent
	wDeclare
	wDeferrable
	wDeferred
	wDelete
	wDesc
	wDiff
	wDistinct
	wDrop
	wElse
	wEnd
	wExcept
	wExists
	wExplain
	wFail
	wFalse
	wFollowing
	wForeign
	wFrom
	wFull
	wGenerated
	wGroup
	wHaving
	wIf
	wIgnore
	wImmediate
	wIn
	wIndex
	wInitially
	wInner
	wInsert
	wIntersect
	wInto
	wIs
	wJoin
	wLateral
	wLeft
	wLimit
	wNatural
	wNo
	wNot
	wNull
	wOffset
	wOr
	wOrder
	wOuter
	wOver
	wPartition
	wPragma
	wPreceding
	wPrimary
	wRange
	wRecursive
	wRelease
	wRename
	wReplace
	wReturning
	wRight
	wRollback
	wRow
	wRows
	wSavepoint
	wSelect
	wStored
	wTable
	wThen
	wTo
	wTransaction
	wTrue
	wUnbounded
	wUnion
	wUpdate
	wUsing
	wValues
	wView
	wVirtual
	wWhen
	wWhere
	wWith
	wXor

	wTemp
	wTemporary

	wAction
	wCascade
	wCheck
	wDefault
	wKey
	wLike
	wOn
	wReferences
	wRestrict
	wSet
	wUnique

	wCollation
	wColumn
	wContext
	wData
	wDefaults
	wDo
	wDomain
	wEscape
	wExclude
	wFilter
	wFirst
	wFor
	wGlob
	wGroups
	wImport
	wInverse
	wIsnull
	wLast
	wLens
	wLogical
	wMaintained
	wMatch
	wMaterialized
	wMaxrecursion
	wNothing
	wNotnull
	wNulls
	wOption
	wOptions
	wOthers
	wPlan
	wQuery
	wRefresh
	wRegexp
	wRowid
	wSchema
	wSeed
	wSimple
	wStrict
	wTags
	wTies
	wTrigger
	wType
	wVersion
	wWindow
	wWithout
)

// wordList names the words in the order of the constants.
var wordList = strings.Fields(`
	abort add all alter always analyze and apply as asc assertion autoincrement begin between by case cast collate commit
	conflict constraint create cross current declare deferrable deferred delete desc diff distinct drop else end except
	exists explain fail false following foreign from full generated group having if ignore immediate in index initially
	inner insert intersect into is join lateral left limit natural no not null offset or order outer over partition
	pragma preceding primary range recursive release rename replace returning right rollback row rows savepoint select
	stored table then to transaction true unbounded union update using values view virtual when where with xor
	temp temporary
	action cascade check default key like on references restrict set unique
	collation column context data defaults do domain escape exclude filter first for glob groups import inverse isnull last lens
	logical maintained match materialized maxrecursion nothing notnull nulls option options others plan query refresh regexp
	rowid schema seed simple strict tags ties trigger type version window without`)

// class tells where a word may stand as a name without quotes (docs/reference/language.md). A place that admits one class admits those
// after it.
type class uint8

const (
	reserved   class = iota // nowhere
	schemaWord              // temp, temporary: where a relation or a schema is named
	contextual              // in references, after AS, in definitions; not as a bare alias
	free                    // everywhere
)

// class gives the class of the word; a name that is no keyword is free.
func (w word) class() class {
	switch {
	case w == noWord || w > wUnique:
		return free
	case w > wTemporary:
		return contextual
	case w > wXor:
		return schemaWord
	}
	return reserved
}

const (
	shortestWord = 2
	longestWord  = 13   // autoincrement
	wordSlots    = 1024 // 2 to the power of 32-22: see slotOf
)

// wordTable finds a word by the mark of its letters, colliding words in the slots behind.
var wordTable = makeWordTable()

type wordSlot struct {
	mark uint32
	word word // noWord for an empty slot
}

func makeWordTable() (table [wordSlots]wordSlot) {
	for i, name := range wordList {
		mark := markOf(name)
		slot := slotOf(mark)
		for table[slot].word != noWord {
			slot = (slot + 1) % wordSlots
		}
		table[slot] = wordSlot{mark, word(i + 1)}
	}
	return table
}

// markOf packs the length and three letters, without regard to case: few words share one.
func markOf(s string) uint32 {
	return uint32(s[0]|0x20) | uint32(s[1]|0x20)<<8 | uint32(s[len(s)-1]|0x20)<<16 | uint32(len(s))<<24
}

// slotOf spreads marks over the table by the golden ratio.
func slotOf(mark uint32) uint32 { return mark * 0x9E3779B1 >> 22 % wordSlots }

// lookupWord tells which word a name without quotes is. It allocates nothing.
func lookupWord(s string) word {
	if len(s) < shortestWord || len(s) > longestWord {
		return noWord
	}
	mark := markOf(s)
	for i := slotOf(mark); ; i = (i + 1) % wordSlots {
		slot := &wordTable[i]
		if slot.word == noWord || slot.mark == mark && equalWord(s, wordList[slot.word-1]) {
			return slot.word
		}
	}
}

// equalWord compares a name with a word in lower case. Setting bit 5 lowers letters and makes no letter of anything else
// that a name holds.
func equalWord(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		if s[i]|0x20 != lower[i] {
			return false
		}
	}
	return true
}
