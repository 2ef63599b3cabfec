#!/bin/bash
# Every shell script is one that bash can read, can be run, and stops at its first error.
set -euo pipefail
cd "$(dirname "$0")/../.."
failed=0
while IFS= read -r -d '' file; do
  head -c 64 "$file" | head -n 1 | grep -q 'bash' || continue
  bash -n "$file" || failed=1
  [[ -x $file ]] || { echo "$file: is not executable"; failed=1; }
  grep -q 'set -euo pipefail' "$file" || { echo "$file: lacks set -euo pipefail"; failed=1; }
done < <(find scripts .ci tests -type f -print0)
exit "$failed"
