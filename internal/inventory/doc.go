// Package inventory says what a plugin is before it is used: what the host would load
// and run of it, what its text costs, which of its prose looks like a procedure, and
// what is wrong with it. It reads; it runs nothing of the plugin.
//
// # Signals
//
// A signal is something countable in a component's text that bears on one question: is
// this a step that a program could do? Each is defined in the comment of its own file
// (signal_*.go). None of them decides; package boundary puts them together.
//
// Every signal leaves marks: one for each line on which it saw something, with how
// much. The totals of a component, the shares of its steps and the evidence behind both
// are sums over the same marks, so they cannot disagree, and every number can be
// followed to file and line.
//
// Text is read as what it is. Prose, code spans, fences and tables are told apart by a
// Markdown parser, commands by a shell parser: verbs are looked for in prose only, and
// there only where an instruction has its verb; commands in fences and spans only, with
// the author's placeholders masked so that they parse. Sections that say when to use a
// text, or what else to read, instruct nothing and are left out.
//
// # Steps
//
// A step is a numbered heading with all that stands under it, or else an item of a
// numbered list that holds a command or stands under a heading that announces a
// procedure; sections without a number that hold commands are listed beside them.
//
// # Own commands
//
// A literal command that runs an executable which the plugin ships is a cut that its
// owner has drawn. It is resolved by path, by the client's variables, by what was
// assigned to a shell variable, and by names that only this plugin has.
package inventory
