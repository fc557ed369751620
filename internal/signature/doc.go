// Package signature is the only door through which anything of a tool call's
// arguments leaves a transcript.
//
// A signature is a tool's name and the shape of its arguments. It exists at two
// grains: shape (the tool; for Bash the program and sub-command of each simple
// command; for a file tool the file, if it may be named) serves to find what
// recurs, full (with flags and masks) serves to recognise it again.
//
// The vocabulary of every output is finite and known beforehand: names of tools,
// programs, sub-commands and flags from the lists in commands.txt and names.txt,
// files that the target plugin itself ships (<own:references/x.md>, relative to
// its root), base names and extensions that everybody uses, and masks. A word
// that is none of these becomes a mask, whatever it looks like: the masker fails
// closed. Masks are tried in this order: URL, hash, UUID, path, quoted string,
// number; what is left is <arg>.
//
// Beside what is emitted each call has an identity, a hash of its literal
// arguments under a key that is never emitted. It tells whether the same file or
// command came again without telling which.
//
// Bash is read with a real parser. A command that does not parse, a program that
// is not in the table, a redirection into a file, a here-document: none of these
// is called read-only, and none of their words is shown.
package signature
