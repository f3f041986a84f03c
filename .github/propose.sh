#!/usr/bin/env bash
# Propose the changes of a file in one pull request, which stays the same until it is merged.
#   propose.sh BRANCH TITLE FILE TEXT
set -euo pipefail
branch=$1 title=$2 file=$3 text=$4

if git diff --quiet -- "$file"; then
  echo "Nothing to propose: $file is as it was."
  exit
fi
git switch --quiet --force-create "$branch"
git commit --quiet --message "$title" -- "$file"
git push --quiet --force origin "$branch"
found=$(gh pr list --state open --head "$branch" --json number --jq '.[0].number // empty')
if [ -n "$found" ]; then
  gh pr edit "$found" --body-file "$text"
else
  gh pr create --head "$branch" --title "$title" --body-file "$text"
fi
