#!/bin/sh
# npm runs this script before `npm start`, with the Node.js of node_modules first on PATH. If a shared library is missing,
# Node.js cannot start, so this script prints how to install it.
node --version >/dev/null && exit 0
echo 'Node.js did not start, for the reason above. On Debian and Ubuntu, run: apt-get install libstdc++6 libatomic1. A system without glibc needs the container image.' >&2
exit 1
