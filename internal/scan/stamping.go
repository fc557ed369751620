package scan

// Stamping says whether a client of this version writes attribution stamps: "all", "none", or
// "unknown" for the versions between and for what is no version.
func Stamping(version string) string {
	switch readStamping(version) {
	case stamps:
		return "all"
	case blind:
		return "none"
	}
	return "unknown"
}
