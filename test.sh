#!/usr/bin/env bash
# All checks of this repository, as CI runs them: format, vet, staticcheck where it is installed, build, tests, the tests of the
# engine once more with its own assertions and the race detector, and a few seconds of every fuzz target.
#
#   ./test.sh           everything
#   ./test.sh --short   without the race detector and the fuzzing
set -euo pipefail
cd "$(dirname "$0")"

short=
case "${1-}" in
'') ;;
--short) short=yes ;;
*)
	echo "usage: ./test.sh [--short]" >&2
	exit 1
	;;
esac

step() { printf '\n== %s (after %ds)\n' "$*" "$SECONDS"; }

# What has assertions behind the build tag invariants, and what runs on several goroutines.
concurrent='./vtab/... ./engine ./engine/plan ./engine/exec ./engine/sqldriver ./alter'

step "gofmt"
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	printf 'gofmt would change:\n%s\n' "$unformatted"
	exit 1
fi

step "go vet"
go vet ./...
go vet -tags invariants ./...

if command -v staticcheck >/dev/null; then
	step "staticcheck"
	staticcheck ./...
fi

step "go build"
go build ./...

step "go test"
go test ./...

if [ -n "$short" ]; then
	step "done"
	exit 0
fi

step "go test with assertions and the race detector"
# shellcheck disable=SC2086 # a list of patterns
go test -short -tags invariants -race -timeout 10m $concurrent

step "fuzzing"
grep -rE --include='*_test.go' -o '^func Fuzz[A-Za-z0-9_]+' . | sort | while IFS=: read -r file target; do
	go test -run '^$' -fuzz "^${target#func }\$" -fuzztime 2s "$(dirname "$file")"
done

step "done"
