package findings

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/differ/lint"
	"github.com/quereus/quereus-migrate/engine/ast"
)

func write(t *testing.T, format string, r *Report) string {
	var b strings.Builder
	require.NoError(t, Writers[format](&b, r))
	return b.String()
}

func sampleReport() *Report {
	src := ast.NewSource("db/a b:ö.sql", "create table t (a);\n")
	nasty := "50% of\n<t>, \"x\": \x01 & ::error::]]>"
	return &Report{Tool: "quereus-migrate", Version: "v1", Rules: lint.Rules(), Findings: []lint.Finding{
		{Rule: "real-key", Severity: lint.Error, Object: "t", Message: nasty, Avoid: "do not", Source: src, Line: 1, Column: 1, EndLine: 1, EndColumn: 19},
		{Rule: "real-key", Severity: lint.Warning, Object: "t", Message: nasty, Source: src, Line: 1, Column: 1, EndLine: 2, EndColumn: 1},
		{Rule: "hazard/drops-rows", Severity: lint.Info, Object: "t", Message: "goes"},
		{Rule: "hazard/drops-rows", Severity: lint.Info, Message: "whole file", Source: src},
	}}
}

func TestSARIF(t *testing.T) {
	for _, r := range []*Report{sampleReport(), {Tool: "quereus-migrate", Version: "v1"}} {
		log, err := sarif.FromString(write(t, "sarif", r))
		require.NoError(t, err)
		require.NoError(t, log.Validate(), "the schema of SARIF 2.1.0")
		require.Len(t, log.Runs[0].Results, len(r.Findings))
	}
	text := write(t, "sarif", sampleReport())
	require.Contains(t, text, `"uri": "db/a%20b%3A%C3%B6.sql"`)
	require.Contains(t, text, `"level": "note"`)
}

func TestGitHub(t *testing.T) {
	require.Equal(t, strings.Join([]string{
		"::error file=db/a b%3Aö.sql,line=1,endLine=1,col=1,endColumn=19,title=real-key::50%25 of%0A<t>, \"x\": \x01 & ::error::]]>; do not",
		"::warning file=db/a b%3Aö.sql,line=1,endLine=2,title=real-key::50%25 of%0A<t>, \"x\": \x01 & ::error::]]>",
		"::notice title=hazard/drops-rows::goes",
		"::notice file=db/a b%3Aö.sql,title=hazard/drops-rows::whole file",
		"",
	}, "\n"), write(t, "github", sampleReport()))
}

func TestJUnit(t *testing.T) {
	text := write(t, "junit", sampleReport())
	var out suitesXML
	require.NoError(t, xml.Unmarshal([]byte(text), &out))
	suite := out.Suites[0]
	require.Equal(t, len(suite.Cases), suite.Tests)
	require.Equal(t, 4, suite.Failures)
	require.Equal(t, 4+len(lint.Rules())-1, suite.Tests, "a rule that found nothing is a test that does not fail")
	require.Contains(t, suite.Cases[0].Failure.Text, "db/a b:ö.sql:1:1\n50% of")
}

func TestCodeQuality(t *testing.T) {
	var issues []issueJSON
	require.NoError(t, json.Unmarshal([]byte(write(t, "code-quality", sampleReport())), &issues))
	prints := map[string]bool{}
	for _, issue := range issues {
		require.Contains(t, []string{"info", "minor", "major", "critical", "blocker"}, issue.Severity)
		require.NotEmpty(t, issue.Description)
		require.Positive(t, issue.Location.Lines.Begin)
		prints[issue.Fingerprint] = true
	}
	require.Len(t, prints, len(issues), "fingerprints are unique")
	require.Equal(t, "[]\n", write(t, "code-quality", &Report{}))
}

func TestJSON(t *testing.T) {
	var out reportJSON
	require.NoError(t, json.Unmarshal([]byte(write(t, "json", sampleReport())), &out))
	require.Equal(t, 1, out.Version)
	require.Equal(t, "db/a b:ö.sql", out.Findings[0].File)
	require.Equal(t, 19, out.Findings[0].EndColumn)
}
