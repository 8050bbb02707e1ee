package golden

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// elsewhere matches citations of what no reader of the repository can open.
var elsewhere = regexp.MustCompile(`\b[Ss]pec \d\d?\b|\b[Dd]esign §|\b[Dd]ecision \d+|\bdesign\.md\b|\bstyle\.md\b|\bseed-[a-z]+(-[a-z]+)?\.txt\b|\bDECISIONS\b|\.\./shared\b`)

// ownDocs matches citations of documents of the repository.
var ownDocs = regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.md\b`)

// TestCommentsCiteWhatReadersHave: Go files cite no document but those of the repository, and these exist.
func TestCommentsCiteWhatReadersHave(t *testing.T) {
	require.Regexp(t, elsewhere, "as spec 11 "+"says")
	files := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || filepath.Base(path) == "comments_test.go" {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		line := 0
		for l := range strings.Lines(string(text)) {
			line++
			if cited := elsewhere.FindString(l); cited != "" {
				t.Errorf("%s:%d cites %q, which readers cannot open: say the rule, or cite docs/reference", path, line, cited)
			}
			for _, doc := range ownDocs.FindAllString(l, -1) {
				if strings.HasPrefix(doc, "docs/reference/") && !exists("../docs/reference") {
					continue
				}
				if !exists(filepath.Join("..", doc)) {
					t.Errorf("%s:%d cites %s, which does not exist", path, line, doc)
				}
			}
		}
		return nil
	}))
	require.Greater(t, files, 100)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
