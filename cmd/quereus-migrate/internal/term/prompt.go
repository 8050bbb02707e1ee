package term

import (
	"bufio"
	"context"
	"fmt"
	"strings"
)

// Confirm asks a question and reports whether the answer begins with y. It must only be called when CanAsk. The end of ctx is no
// answer: its cause is the error, and what is typed later is lost.
func (s *Streams) Confirm(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(s.Err, "%s [y/N] ", question)
	answers := make(chan string, 1)
	go func() {
		answer, _ := bufio.NewReader(s.In).ReadString('\n') // the end of the input is no yes
		answers <- answer
	}()
	select {
	case answer := <-answers:
		if !strings.HasSuffix(answer, "\n") {
			fmt.Fprintln(s.Err)
		}
		return strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y"), nil
	case <-ctx.Done():
		fmt.Fprintln(s.Err)
		return false, context.Cause(ctx)
	}
}
