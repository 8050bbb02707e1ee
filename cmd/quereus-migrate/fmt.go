package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/term"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/format"
	"github.com/quereus/quereus-migrate/types"
)

type fmtOptions struct {
	files []string
	check bool
}

func newFmtCmd(a *app) *cobra.Command {
	var o fmtOptions
	cmd := &cobra.Command{
		Use:   "fmt FILE...",
		Short: "Lay out SQL files in one way",
		Long: `fmt rewrites SQL files, and those of folders, with one look: line ends, indentation, spaces, and keywords in lower case. Nothing
else of them changes; comments stay where they are. A file that has the look already is not written. - reads standard input and prints.

A word of the grammar that is somewhere in a file the name of something keeps its letters in that file.`,
		Example: `  quereus-migrate fmt schemas/
  quereus-migrate fmt --check schemas/`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.files = args
			return runFmt(a, o)
		},
	}
	cmd.Flags().BoolVar(&o.check, "check", false, "write nothing: list the files that look otherwise, and exit with 2 if there are any")
	return cmd
}

func runFmt(a *app, o fmtOptions) error {
	var faults []error
	differs := false
	for _, name := range o.files {
		sources, err := target.Opener{Stdin: a.In}.SQLFiles(name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		for _, src := range sources {
			changed, err := a.fmtSource(src, o.check)
			differs = differs || changed
			if err != nil {
				faults = append(faults, err)
			}
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	if differs && o.check {
		return errDiffers
	}
	return nil
}

// fmtSource lays out one file, and reports whether it looks otherwise then.
func (a *app) fmtSource(src *ast.Source, isCheck bool) (bool, error) {
	text, err := format.Source(src)
	if err != nil {
		return false, atSource(src, err)
	}
	isStdin := src.Name == target.StdinName
	changed := text != src.Text
	switch {
	case isStdin && !isCheck:
		_, err = fmt.Fprint(a.Out, text)
	case changed && isCheck:
		_, err = fmt.Fprintln(a.Out, term.Visible(src.Name))
	case changed:
		err = replaceFile(src.Name, text)
	}
	return changed, err
}

// atSource gives an error its file.
func atSource(src *ast.Source, err error) error {
	var e *types.Error
	if errors.As(err, &e) {
		return &catalog.SourceError{Source: src, Err: e}
	}
	return err
}

// replaceFile puts a text in place of a file's at once: whoever reads it finds the one or the other.
func replaceFile(name, text string) (err error) {
	name, err = filepath.EvalSymlinks(name)
	if err != nil {
		return types.Wrapf(types.CANTOPEN, err, "%s", name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return types.Wrapf(types.CANTOPEN, err, "%s", name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+strings.TrimPrefix(filepath.Base(name), ".")+".*")
	if err != nil {
		return types.Wrapf(types.IOERR, err, "%s", name)
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return types.Wrapf(types.IOERR, errors.Join(err, os.Remove(f.Name())), "%s", name)
	}
	return nil
}
