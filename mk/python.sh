#!/bin/sh
# Print the first Python that is 3.11 or newer.
for name in python3 python3.13 python3.12 python3.11 /usr/bin/python3; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        echo "$name"
        exit 0
    fi
done
echo 'workbook: Python 3.11 or newer is needed: sudo apt-get install -y python3' >&2
echo python3
