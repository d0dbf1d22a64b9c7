#!/usr/bin/env bash
# run-py.sh - run a Python test, or say why not.
if [ -z "${PYTHON3-}" ]; then
	echo "SKIP: python3 is not installed"
	exit 77
fi
exec "$PYTHON3" -B "$@"
