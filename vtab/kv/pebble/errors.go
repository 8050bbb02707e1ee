package pebble

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/quereus/quereus-migrate/types"
)

// wrap puts an error of Pebble or of the file system into our codes, with what failed before it. An error that has a code
// keeps it, nil stays nil.
func wrap(err error, what string) error {
	if err == nil {
		return nil
	}
	var own *types.Error
	if errors.As(err, &own) {
		return err
	}
	return &types.Error{Code: codeOf(err), Message: what + ": " + said(err), Cause: err}
}

// said is the text of an error of Pebble: behind a damaged block it has a line that is only a mark for programs.
func said(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

func codeOf(err error) types.Code {
	switch {
	case pebble.IsCorruptionError(err):
		return types.CORRUPT
	case vfs.IsNoSpaceError(err), errors.Is(err, syscall.EDQUOT):
		return types.FULL
	case errors.Is(err, pebble.ErrReadOnly), errors.Is(err, syscall.EROFS):
		return types.READONLY
	case errors.Is(err, pebble.ErrClosed):
		return types.MISUSE
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return types.INTERRUPT
	}
	return types.IOERR
}

// wrapOpen is wrap for what went wrong while a store was opened. CURRENT names the store, so what is missing in it is lost.
func wrapOpen(err error, what string) error {
	var own *types.Error
	switch {
	case err == nil || errors.As(err, &own):
		return err
	case isLocked(err):
		return &types.Error{Code: types.BUSY, Message: what + ": the store is in use by another process", Cause: err}
	case errors.Is(err, fs.ErrPermission):
		return &types.Error{Code: types.CANTOPEN, Message: what + ": " + err.Error(), Cause: err}
	case codeOf(err) != types.IOERR:
		return wrap(err, what)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, pebble.ErrDBDoesNotExist), !fromFileSystem(err):
		return &types.Error{Code: types.CORRUPT, Message: what + ": the store is damaged: " + said(err), Cause: err}
	}
	return wrap(err, what)
}

// fromFileSystem reports whether the operating system gave the error, and not Pebble about what it read.
func fromFileSystem(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	var errno syscall.Errno
	return errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &errno)
}

// isLocked reports whether err says that a lock is held elsewhere. A plain number comes from the lock; with a path it would
// come from opening its file.
func isLocked(err error) bool {
	var path *fs.PathError
	if errors.As(err, &path) {
		return false
	}
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) || isLockedHere(err)
}

// isLockedHere reports whether this very process holds the lock. Pebble's file system has no better sign of it.
func isLockedHere(err error) bool { return err.Error() == "lock held by current process" }

func errClosed(dir string) error {
	return types.Errorf(types.MISUSE, "database %s is closed", dir)
}

// recovered makes an error of what a panic carried.
func recovered(r any) error {
	if err, ok := r.(error); ok {
		return err
	}
	return fmt.Errorf("%v", r)
}
