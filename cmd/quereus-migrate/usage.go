package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// printUsage tells, below a mistake in the command line, what is near to it and how the command is called.
func (a *app) printUsage(cmd *cobra.Command, err error) {
	for _, s := range nearFlags(cmd, err) {
		fmt.Fprintf(a.Err, "  %s --%s?\n", a.ErrPalette().Yellow("hint: did you mean"), s)
	}
	fmt.Fprintf(a.Err, "Usage: %s\n  %s --help tells more\n", cmd.UseLine(), cmd.CommandPath())
}

// nearFlags lists the flags of the command that look like the one that there is not.
func nearFlags(cmd *cobra.Command, err error) []string {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || len(missing.GetSpecifiedName()) < 2 {
		return nil
	}
	name, near := missing.GetSpecifiedName(), []string(nil)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && (levenshtein.Distance(name, f.Name, nil) <= (len(name)+1)/3 || strings.HasPrefix(f.Name, name)) {
			near = append(near, f.Name)
		}
	})
	slices.SortStableFunc(near, func(a, b string) int { return levenshtein.Distance(name, a, nil) - levenshtein.Distance(name, b, nil) })
	return near
}

// giveOnce makes the flags of a command refuse a second value, which would take the place of the first without a word.
func giveOnce(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, takesSeveral := f.Value.(pflag.SliceValue); !takesSeveral {
			f.Value = &onceValue{Value: f.Value, name: f.Name}
		}
	})
}

// onceValue is a flag's value that can be set once.
type onceValue struct {
	pflag.Value
	name  string
	given string
	isSet bool
}

func (v *onceValue) Set(text string) error {
	if v.isSet {
		return fmt.Errorf("it is given twice, the first time as %q", v.given)
	}
	v.isSet, v.given = true, text
	return v.Value.Set(text)
}
