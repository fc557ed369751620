// Calibrate shows how well the static ranking finds what owners confirmed: it ranks
// the reference plugins beside this repository and prints where the labelled ones
// stand. It reads them where they are and writes nothing.
package main

import (
	"fmt"
	"os"
)

func main() {
	root, ok := reference()
	if !ok {
		fmt.Println("calibrate: no reference plugins at " + root + " (set SHARED to the folder that holds plugins/); nothing to calibrate on")
		return
	}
	r, err := calibrate(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "calibrate: "+err.Error())
		os.Exit(1)
	}
	r.print(os.Stdout)
}
