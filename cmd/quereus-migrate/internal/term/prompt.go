package term

import (
	"bufio"
	"fmt"
	"strings"
)

// Confirm asks a question and reports whether the answer begins with y. It must only be called when CanAsk.
func (s *Streams) Confirm(question string) (bool, error) {
	fmt.Fprintf(s.Err, "%s [y/N] ", question)
	answer, err := bufio.NewReader(s.In).ReadString('\n')
	if answer == "" && err != nil {
		fmt.Fprintln(s.Err)
		return false, nil // the end of the input is no yes
	}
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y"), nil
}
