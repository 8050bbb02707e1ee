package vtab

import (
	"fmt"
	"strings"
)

// DuplicateKeys is the cause of the CONSTRAINT error that Alter gives when rows of the table cannot stand together under a new key or rule.
type DuplicateKeys struct {
	// Keys spells some of the keys that more than one row has, as types.FormatKey does. They show values of rows: whoever publishes
	// the error leaves them out.
	Keys []string
}

func (d *DuplicateKeys) Error() string {
	return fmt.Sprintf("more than one row has the key %s", strings.Join(d.Keys, ", "))
}
