#!/bin/sh
# Tests a running service in any language. The exit code of swapcheck is the result of the test.
set -eu
${SWAPCHECK:-swapcheck} test "${SWAPCHECK_BASE_URL:-http://127.0.0.1:8080}" --only 2.7 --only 2.8 \
  --report junit=swapcheck.xml --report text
