#!/bin/sh
# Runs this plugin's binary for the platform as the tool that the script is called by.
self=$0
while [ -L "$self" ]; do
	to=$(readlink "$self")
	case $to in
	/*) self=$to ;;
	*) self=${self%/*}/$to ;;
	esac
done
case $self in
*/*) here=${self%/*} ;;
*) here=. ;;
esac
exe=
case $(uname -sm) in
"Linux x86_64") platform=linux-amd64 ;;
"Linux aarch64" | "Linux arm64") platform=linux-arm64 ;;
"Darwin x86_64") platform=darwin-amd64 ;;
"Darwin arm64") platform=darwin-arm64 ;;
MINGW*x86_64 | MSYS*x86_64 | CYGWIN*x86_64) platform=windows-amd64 exe=.exe ;;
*) platform=none ;;
esac
binary=$here/../libexec/$platform/inference-arbitrage$exe
[ -x "$binary" ] && exec "$binary" "${0##*/}" "$@"
# No binary: a hook (only there is CLAUDE_PLUGIN_ROOT set) must not disturb the session.
[ -n "${CLAUDE_PLUGIN_ROOT:-}" ] && exit 0
echo "${0##*/}: this plugin carries no binary for $(uname -sm); build it with 'make build' from its source" >&2
exit 1
