package findings

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/quereus/quereus-migrate/differ/lint"
)

const informationURI = "https://github.com/quereus/quereus-migrate"

var sarifLevels = map[lint.Severity]string{lint.Error: "error", lint.Warning: "warning", lint.Info: "note", lint.Off: "none"}

func writeSARIF(w io.Writer, r *Report) error {
	log := sarif.NewReport()
	run := sarif.NewRunWithInformationURI(r.Tool, informationURI)
	run.Tool.Driver.WithVersion(r.Version)
	addRules(run, r)
	for i := range r.Findings {
		addResult(run, &r.Findings[i])
	}
	log.AddRun(run)
	return log.PrettyWrite(w)
}

// addRules lists the rules that were looked at, then those of hazards that were found.
func addRules(run *sarif.Run, r *Report) {
	known := map[string]bool{}
	for _, rule := range r.Rules {
		known[rule.Code] = true
		run.AddRule(rule.Code).WithDescription(rule.Summary).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(sarifLevels[rule.Severity]))
	}
	var more []string
	for _, f := range r.Findings {
		if !known[f.Rule] {
			known[f.Rule] = true
			more = append(more, f.Rule)
		}
	}
	slices.Sort(more)
	for _, code := range more {
		run.AddRule(code)
	}
}

func addResult(run *sarif.Run, f *lint.Finding) {
	result := run.CreateResultForRule(f.Rule).WithLevel(sarifLevels[f.Severity]).WithMessage(sarif.NewTextMessage(text(f)))
	if f.Source == nil {
		return
	}
	run.AddDistinctArtifact(uri(f.Source.Name))
	place := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri(f.Source.Name)))
	if f.Line > 0 {
		region := sarif.NewRegion().WithStartLine(f.Line).WithStartColumn(f.Column).WithEndLine(f.EndLine).WithEndColumn(f.EndColumn)
		place.WithRegion(region)
	}
	result.AddLocation(sarif.NewLocationWithPhysicalLocation(place))
}

// uri gives the name of a file as SARIF wants it: relative to where the run was, with slashes.
func uri(name string) string {
	segments := strings.Split(filepath.ToSlash(name), "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.PathEscape(s), ":", "%3A") // a colon would end a scheme
	}
	return strings.Join(segments, "/")
}
