package findings

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/differ/lint"
)

type suitesXML struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Suites   []suiteXML `xml:"testsuite"`
}

type suiteXML struct {
	Name     string    `xml:"name,attr"`
	Tests    int       `xml:"tests,attr"`
	Failures int       `xml:"failures,attr"`
	Errors   int       `xml:"errors,attr"`
	Skipped  int       `xml:"skipped,attr"`
	Cases    []caseXML `xml:"testcase"`
}

type caseXML struct {
	Name    string      `xml:"name,attr"`
	Class   string      `xml:"classname,attr"`
	File    string      `xml:"file,attr,omitempty"`
	Line    int         `xml:"line,attr,omitempty"`
	Failure *failureXML `xml:"failure"`
}

type failureXML struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes a suite with a test that fails for each finding, and one that does not for each rule without any.
func writeJUnit(w io.Writer, r *Report) error {
	suite := suiteXML{Name: r.Tool}
	failed := map[string]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		failed[f.Rule] = true
		suite.Failures++
		suite.Cases = append(suite.Cases, caseXML{
			Name: strings.TrimSpace(f.Rule + " " + xmlText(f.Object)), Class: f.Rule, File: xmlText(sourceName(f)), Line: f.Line,
			Failure: &failureXML{xmlText(f.Message), f.Severity.String(), xmlText(f.At() + "\n" + text(f))},
		})
	}
	for _, rule := range r.Rules {
		if !failed[rule.Code] && rule.Severity != lint.Off {
			suite.Cases = append(suite.Cases, caseXML{Name: rule.Code, Class: rule.Code})
		}
	}
	suite.Tests = len(suite.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suitesXML{Tests: suite.Tests, Failures: suite.Failures, Suites: []suiteXML{suite}}); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// xmlText replaces what no XML can hold.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 && r <= utf8.MaxRune {
			return r
		}
		return utf8.RuneError
	}, s)
}
