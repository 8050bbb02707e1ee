package findings

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/quereus/quereus-migrate/differ/lint"
)

var (
	githubText  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubValue = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	githubWords = map[lint.Severity]string{lint.Error: "error", lint.Warning: "warning", lint.Info: "notice"}
)

// writeGitHub writes workflow commands, which a run of GitHub Actions shows at the lines of a change.
func writeGitHub(w io.Writer, r *Report) error {
	out := bufio.NewWriter(w)
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(out, "::%s ", githubWords[f.Severity])
		if name := sourceName(f); name != "" {
			fmt.Fprintf(out, "file=%s,", githubValue.Replace(name))
			if f.Line > 0 {
				fmt.Fprintf(out, "line=%d,endLine=%d,", f.Line, f.EndLine)
				if f.Line == f.EndLine {
					fmt.Fprintf(out, "col=%d,endColumn=%d,", f.Column, f.EndColumn)
				}
			}
		}
		fmt.Fprintf(out, "title=%s::%s\n", githubValue.Replace(f.Rule), githubText.Replace(text(f)))
	}
	return out.Flush()
}
