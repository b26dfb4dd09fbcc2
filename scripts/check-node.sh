#!/bin/sh
# npm runs this before `npm start`, with the Node.js of node_modules first on PATH. A Node.js that lacks a library ends
# before it can print how to install that library.
node --version >/dev/null && exit 0
echo 'Node.js did not start, for the reason above. On Debian and Ubuntu, run: apt-get install libstdc++6 libatomic1. A system without glibc needs the container image.' >&2
exit 1
