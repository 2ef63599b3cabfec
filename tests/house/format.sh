#!/bin/bash
# Every source stands as .clang-format wants it. Skipped (77) where clang-format-14 is not installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v clang-format-14 >/dev/null || { echo "clang-format-14 is not installed: skipped"; exit 77; }
find src tests -name '*.h' -print0 -o -name '*.cpp' -print0 | xargs -0 clang-format-14 --dry-run -Werror
