//go:build !race

package tests

// raceEnabled: the tools of the stories are built with the race detector too.
const raceEnabled = false
