package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/differ"
)

// severities are those that --allow takes, the lowest first.
var severities = []differ.Severity{differ.Info, differ.Warning, differ.Failure, differ.Destructive}

// allowance is the flag --allow: which hazards are let through.
type allowance struct {
	policy differ.Policy
	words  []string // as given
}

func newAllowance() allowance { return allowance{policy: differ.Policy{Severity: differ.Failure}} }

func (a *allowance) String() string {
	if a.words == nil {
		return a.policy.Severity.String()
	}
	return strings.Join(a.words, ",")
}

// Type names the value in usages.
func (a *allowance) Type() string { return "severity|CODE[:OBJECT]" }

// Set takes a severity, a code, or several of them between commas.
func (a *allowance) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		at := slices.IndexFunc(severities, func(s differ.Severity) bool { return s.String() == word })
		if at >= 0 {
			a.policy.Severity = severities[at]
			a.words = append(a.words, word)
			continue
		}
		one, err := differ.ParseAllowance(word)
		if err != nil {
			return err
		}
		a.policy.Allowances = append(a.policy.Allowances, one)
		a.words = append(a.words, word)
	}
	return nil
}

func (a *allowance) add(cmd *cobra.Command) {
	cmd.Flags().Var(a, "allow", "hazards that are let through: those of a severity and below, or single ones; may be given more than once")
	err := cmd.RegisterFlagCompletionFunc("allow", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var words []cobra.Completion
		for _, s := range severities {
			words = append(words, s.String())
		}
		for _, i := range differ.HazardInfos() {
			words = append(words, cobra.CompletionWithDesc(i.ID, i.Title))
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // there is such a flag
	}
}

// Append, Replace and GetSlice make the flag one that is given more than once (pflag.SliceValue).
func (a *allowance) Append(text string) error { return a.Set(text) }

// Replace sets the words anew.
func (a *allowance) Replace(words []string) error {
	*a = newAllowance()
	for _, w := range words {
		if err := a.Set(w); err != nil {
			return err
		}
	}
	return nil
}

// GetSlice gives the words.
func (a *allowance) GetSlice() []string { return a.words }
