#!/bin/sh
# In any language: the service runs, swapcheck judges it, and its exit code is the test's.
set -eu
${SWAPCHECK:-npx swapcheck} test "${SWAPCHECK_BASE_URL:-http://127.0.0.1:8080}" --only 2.7 --only 2.8 \
  --report junit=swapcheck.xml --report text
