package target

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"

	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

const gitPrefix = "git:"

// IsGit reports whether a name means files of a commit: git:REF:PATH.
func IsGit(name string) bool { return strings.HasPrefix(name, gitPrefix) }

// GitName names a file or folder, given from the working directory, as a commit has it.
func GitName(ref, name string) string { return gitPrefix + ref + ":./" + path.Clean(name) }

// CheckGitRef reports a commit that there is not.
func CheckGitRef(ref string) error {
	_, err := gitTree(gitPrefix+ref, ref)
	return err
}

// GitHas reports whether a commit has a file or folder, given from the working directory.
func GitHas(ref, name string) bool {
	tree, err := gitTree(name, ref)
	if err != nil {
		return false
	}
	place, err := fromTop(name, "./"+name)
	if err != nil {
		return false
	}
	list, err := git(name, "ls-tree", "-r", "-z", "--full-tree", tree, "--", place)
	return err == nil && len(list) > 0
}

// gitTree gives the object of a commit's files.
func gitTree(name, ref string) (string, error) {
	tree, err := git(name, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{tree}")
	if err != nil {
		return "", types.Wrapf(types.CANTOPEN, err, "%s: there is no commit %s", name, ref)
	}
	return strings.TrimSpace(string(tree)), nil
}

// gitSources reads the schema files that git:REF:PATH means, through the program git in the working directory.
func gitSources(name string) ([]*ast.Source, error) {
	ref, place, ok := strings.Cut(strings.TrimPrefix(name, gitPrefix), ":")
	if !ok || ref == "" || place == "" {
		return nil, types.Errorf(types.MISUSE, "%s: files of a commit are named git:REF:PATH", name)
	}
	tree, err := gitTree(name, ref)
	if err != nil {
		return nil, err
	}
	if place, err = fromTop(name, place); err != nil {
		return nil, err
	}
	fsys, err := gitFiles(name, tree, place)
	if err != nil {
		return nil, err
	}
	sources, err := schemafile.Sources(fsys, place)
	for _, s := range sources {
		s.Name = gitPrefix + ref + ":" + s.Name
	}
	return sources, err
}

// fromTop gives a place as it is called from the top of the repository.
func fromTop(name, place string) (string, error) {
	if strings.HasPrefix(place, "./") || strings.HasPrefix(place, "../") {
		here, err := git(name, "rev-parse", "--show-prefix")
		if err != nil {
			return "", err
		}
		place = path.Join(strings.TrimSuffix(string(here), "\n"), place)
	}
	if place = path.Clean(place); !fs.ValidPath(place) {
		return "", types.Errorf(types.CANTOPEN, "%s lies outside the repository", name)
	}
	return place, nil
}

// gitFiles reads the files below a place of a tree.
func gitFiles(name, tree, place string) (fs.FS, error) {
	list, err := git(name, "ls-tree", "-r", "-z", "--full-tree", tree, "--", place)
	if err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	w, found := zip.NewWriter(&archive), false
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		meta, file, ok := strings.Cut(entry, "\t")
		fields := strings.Fields(meta) // mode, kind, object
		if !ok || len(fields) != 3 || fields[1] != "blob" {
			continue
		}
		found = true
		if err := addGitFile(w, name, file, fields[0], fields[2]); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, types.Errorf(types.CANTOPEN, "%s: the commit has no such file or folder", name)
	}
	if err := w.Close(); err != nil {
		return nil, types.Wrapf(types.INTERNAL, err, "%s", name)
	}
	r, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "%s", name)
	}
	return r, nil
}

// addGitFile adds a file of a commit. Only the names of files matter that no schema is read from.
func addGitFile(w *zip.Writer, name, file, mode, object string) error {
	h := &zip.FileHeader{Name: file, Method: zip.Store}
	h.SetMode(0o644)
	if mode == "120000" {
		h.SetMode(fs.ModeSymlink | 0o777)
	}
	f, err := w.CreateHeader(h)
	if err != nil {
		return types.Wrapf(types.INTERNAL, err, "%s", name)
	}
	text, err := git(name, "cat-file", "blob", object)
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err != nil {
		return types.Wrapf(types.INTERNAL, err, "%s", name)
	}
	return nil
}

// git runs the program git and gives what it prints.
func git(name string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "%s: git %s: %s", name, args[0], strings.TrimSpace(complaint.String()))
	}
	return out, nil
}
