package parse

import "slices"

// Words lists the words of the grammar, in lower case and no order that means anything.
func Words() []string { return slices.Clone(wordList) }
