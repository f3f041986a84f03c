#!/usr/bin/env bash
# Keep one open issue of a title: with the text of a file, or closed where the file has none.
#   issue.sh TITLE FILE
set -euo pipefail
title=$1 file=$2

found=$(gh issue list --state open --label weekly --limit 100 --json number,title \
  --jq "map(select(.title == \"$title\")) | .[0].number // empty")
if [ -s "$file" ]; then
  if [ -n "$found" ]; then
    gh issue edit "$found" --body-file "$file"
  else
    gh label create weekly --force --description "Opened and closed by a weekly run"
    gh issue create --title "$title" --label weekly --body-file "$file"
  fi
elif [ -n "$found" ]; then
  gh issue close "$found" --comment "The last run found nothing any more."
fi
