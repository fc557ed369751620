#!/bin/sh
# Installs the pinned Claude Code clients that tests/client drives, and prints where they are:
#
#     eval "$(.ci/client.sh)"        # sets and exports CLAUDE_BIN and CLAUDE_BIN_OLD
#
# The first argument is the directory to install into (default: a cache directory of the user).
# The version is named because npm would choose by the Node that happens to be there; the
# platform's package alone is enough, its binary needs no Node.
set -eu

pinned=2.1.332
old=2.1.197
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/inference-arbitrage-ci}

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) echo "client.sh: no client package for $(uname -s)" >&2; exit 1 ;;
esac
case $(uname -m) in
x86_64 | amd64) cpu=x64 ;;
aarch64 | arm64) cpu=arm64 ;;
*) echo "client.sh: no client package for $(uname -m)" >&2; exit 1 ;;
esac
package=claude-code-$os-$cpu

fetch() { # version
	bin=$dir/$1/node_modules/@anthropic-ai/$package/claude
	if [ ! -x "$bin" ]; then
		echo "client.sh: installing @anthropic-ai/$package@$1" >&2
		mkdir -p "$dir/$1"
		npm install --no-audit --no-fund --loglevel error --prefix "$dir/$1" "@anthropic-ai/$package@$1" >&2
	fi
	got=$("$bin" --version)
	case $got in
	"$1 "*) ;;
	*) echo "client.sh: expected $1, $bin says $got" >&2; exit 1 ;;
	esac
	printf '%s\n' "$bin"
}

new_bin=$(fetch "$pinned")
old_bin=$(fetch "$old")
printf "export CLAUDE_BIN='%s' CLAUDE_BIN_OLD='%s'\n" "$new_bin" "$old_bin"
