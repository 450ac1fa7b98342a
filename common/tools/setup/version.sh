#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the version that each row of measurements names: what `git describe` says, and -dirty if a
# file differs from the commit. Recorded rows do not count, because `make record` appends them
# between one build and the next. Without git it fails.
set -eu
cd "$(dirname "$0")/../../.."
version=$(git describe --always --tags 2>/dev/null)
git diff --quiet HEAD -- . ':(exclude)plots/data' || version=$version-dirty
echo "$version"
