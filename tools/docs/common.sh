#===- tools/docs/common.sh - Where the documentation's tools are ---===#
# SPDX-License-Identifier: Apache-2.0
build=$(realpath "${CUPOLA_BUILD:-build}")
python=${CUPOLA_DOCS_PYTHON:-.deps/docs/bin/python}
export PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1

# needs COMMAND REMEDY: else the script ends with 77, which ctest takes for a test that is left out.
needs() {
  command -v "$1" > /dev/null && return
  echo "left out: $1 is not here: $2"
  exit 77
}
needs "$python" "tools/dev/fetch-deps --docs"
