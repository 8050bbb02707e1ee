package sqlite

import (
	"context"
	"os"
	"path/filepath"

	driver "modernc.org/sqlite"

	"github.com/quereus/quereus-migrate/types"
)

// OpenDump opens what a dump makes when SQLite runs it, in a temporary file that Close removes. A dump can make no other files. CORRUPT
// for one that does not run.
func OpenDump(ctx context.Context, name, text string) (*Source, error) {
	dir, err := os.MkdirTemp("", "quereus-import-")
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "a temporary file for %s", name)
	}
	s, err := open(ctx, filepath.Join(dir, "dump.db"), "_pragma=synchronous(off)&_pragma=journal_mode(memory)")
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	s.name, s.temporary = name, dir
	if err := s.execute(ctx, text); err != nil {
		s.Close()
		return nil, types.Wrapf(types.CORRUPT, err, "SQLite dump %s", name)
	}
	return s, nil
}

// execute runs a text that may not reach other files.
func (s *Source) execute(ctx context.Context, text string) error {
	if _, err := s.conn.ExecContext(ctx, "commit"); err != nil { // open has begun one
		return err
	}
	err := s.conn.Raw(func(c any) error {
		return c.(driver.AuthorizerRegisterer).RegisterAuthorizer(func(action driver.AuthorizerActionCode, _, _, _, _ string) driver.AuthorizerReturnCode {
			if action == driver.AuthAttach {
				return driver.AuthorizerDeny
			}
			return driver.AuthorizerOK
		})
	})
	if err != nil {
		return err
	}
	_, err = s.conn.ExecContext(ctx, text)
	return err
}
