package inventory

import "strings"

// Signal gathers: literal commands that only look at state (list, show, fetch,
// search, filter) and whose output the reader is to act upon. A step is "gather →
// decide → (act)", and what it gathers from a command is a closed input: this is
// the first half of being mechanical. Counted in shell blocks and inline commands,
// not in dynamic lines, which the host runs already.
//
// The rule is about words, not products, so that it holds for command lines that
// no table knows: a program that can only read, or any program whose leading words
// hold a looking verb and no changing one. Unlike the scan's read-only table,
// which must fail closed because it decides what a turn was, this one reads
// documentation, where a wrong guess costs a place in a ranking.
var (
	readers = wordSet(`ls cat head tail less wc grep egrep fgrep zgrep rg ag ack sort uniq cut tr paste join comm cmp diff
		column nl rev tac file stat du df find fd tree jq yq xq gron awk gawk mawk sed xmllint strings od xxd hexdump
		md5sum sha1sum sha256sum shasum cksum realpath readlink pwd which whereis whoami id
		groups hostname uname arch nproc uptime last date ps pgrep lsof netstat ss top free vmstat iostat printenv locale
		lscpu lsblk dig nslookup host ping traceroute sysctl vm_stat sw_vers system_profiler ioreg pmset journalctl dmesg
		log type tokei cloc`)
	lookingVerbs = wordSet(`list ls get show view describe status log logs diff info search query find inspect check checks
		explain history tree top events version versions whoami can-i ps images stats outdated audit export-list
		blame shortlog reflog rev-parse rev-list ls-files ls-remote ls-tree cat-file for-each-ref merge-base merge-tree
		name-rev show-ref range-diff cherry count-objects check-ignore diff-tree get-url get-contexts current-context
		cluster-info api-resources fetch report describe-stacks read count lint-report json summary`)
	changingVerbs = wordSet(`create new add delete remove rm apply edit set unset update upgrade install uninstall push commit
		merge rebase checkout switch reset restore revert clone init close reopen comment review approve enable disable
		start stop restart kill run exec build deploy publish release patch scale rollout drain cordon taint label annotate
		import sync pull mv move rename copy cp login logout write clean prune fix`)
	callers = wordSet(`curl wget http https`)
	// speakers only say or set something.
	speakers = wordSet(`echo printf export cd set unset source . eval true false exit return sleep`)
)

// gathers reports whether a command only looks. words are program and arguments.
func gathers(words []string) bool {
	words = unwrap(words)
	if len(words) == 0 {
		return false
	}
	program := words[0]
	if i := strings.LastIndexByte(program, '/'); i >= 0 {
		program = program[i+1:]
	}
	switch {
	case speakers[program]:
		return false
	case callers[program]:
		return !sends(words)
	case program == "sed":
		return !hasFlag(words, "-i", "--in-place")
	case program == "find":
		return findLooks(words)
	case readers[program]:
		return true
	}
	return verbLooks(program, words[1:])
}

// maxVerbDepth: how many words after the program may hold the verb ("oc adm top pods").
const maxVerbDepth = 3

// verbLooks finds the verb among a program's leading words, flags aside, and says whether it looks.
func verbLooks(program string, args []string) bool {
	depth := 0
	for i, w := range args {
		if strings.HasPrefix(w, "-") {
			continue
		}
		if strings.ContainsAny(w, "$=<>\"'/ ") { // a value: of a flag, or where the verbs end
			if depth > 0 {
				return false
			}
			continue
		}
		rest := args[i+1:]
		switch {
		case w == "api":
			return !sends(args)
		case changingVerbs[w]:
			// "gh label list": what reads as a verb is a noun when a looking verb follows.
			return len(rest) > 0 && lookingVerbs[rest[0]]
		case lookingVerbs[w]:
			return len(rest) == 0 || !changingVerbs[rest[0]] // "task list add"
		case program == "git" && (w == "branch" || w == "remote" || w == "tag"):
			return looksByFlags(rest)
		}
		if depth++; depth == maxVerbDepth {
			return false
		}
	}
	return false
}

// findLooks: find without -delete, and what it runs looks too.
func findLooks(words []string) bool {
	for i, w := range words {
		switch w {
		case "-delete":
			return false
		case "-exec", "-execdir", "-ok":
			if i+1 >= len(words) || !gathers(words[i+1:]) {
				return false
			}
		}
	}
	return true
}

// looksByFlags: a noun alone lists ("git branch -vv"), with a name or a changing flag it changes.
func looksByFlags(rest []string) bool {
	for _, w := range rest {
		switch {
		case changingVerbs[w], w == "-d", w == "-D", w == "-m", w == "-M", w == "-f":
			return false
		case strings.HasPrefix(w, "--set-upstream"), strings.HasPrefix(w, "--delete"):
			return false
		case lookingVerbs[w]:
			return true
		case !strings.HasPrefix(w, "-"):
			return hasFlag(rest, "--list", "-l", "--contains", "--merged", "--no-merged", "-r")
		}
	}
	return true
}

// sends: the call of a web client carries data or a changing method. For curl "-f" means
// to fail, for a forge's "api" it is a field.
func sends(words []string) bool {
	for i, w := range words {
		method, named := "", false
		switch {
		case (w == "-X" || w == "--request" || w == "--method") && i+1 < len(words):
			method, named = words[i+1], true
		case strings.HasPrefix(w, "-X") && len(w) > 2:
			method, named = w[2:], true
		}
		if named {
			m := strings.ToUpper(method)
			return m != "GET" && m != "HEAD"
		}
	}
	if hasFlag(words, "-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--json", "-F", "--form", "--field", "--raw-field", "--input", "-T", "--upload-file") {
		return true
	}
	return !callers[words[0]] && hasFlag(words, "-f")
}

func hasFlag(words []string, flags ...string) bool {
	for _, w := range words {
		for _, f := range flags {
			if w == f || strings.HasPrefix(f, "--") && strings.HasPrefix(w, f+"=") {
				return true
			}
		}
	}
	return false
}

// unwrap drops what runs another command: time, sudo, env, xargs, timeout and variables before it.
func unwrap(words []string) []string {
	for len(words) > 1 {
		switch words[0] {
		case "time", "sudo", "nohup", "command", "builtin", "exec":
			words = words[1:]
			if words[0] == "-v" {
				return []string{"which"}
			}
		case "env", "xargs", "nice", "timeout", "watch":
			words = words[1:]
			for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=") || strings.Trim(words[0], "0123456789smh") == "" || words[0] == "{}" || words[0] == "%") {
				words = words[1:]
			}
		default:
			return words
		}
	}
	return words
}
