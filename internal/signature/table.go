package signature

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed commands.txt
var commandsText string

//go:embed names.txt
var namesText string

// class of a command, as commands.txt explains.
type class uint8

const (
	write class = iota
	read
	neutral
	wrap
	script
)

var classes = map[string]class{"write": write, "read": read, "neutral": neutral, "wrap": wrap, "script": script}

// rule is one line of commands.txt; subs hold the lines of its sub-commands.
type rule struct {
	name       string
	class      class
	deny, need []string
	bare       bool
	bareUnless []string
	values     map[string]bool
	check      string
	subs       map[string]*rule
}

// tables are commands.txt and names.txt.
type tables struct {
	programs                                            map[string]*rule
	basenames, extensions, tools, longFlags, shortFlags map[string]bool
}

// listed reads the tables when a call is first reduced: a run that finds everything in a cache
// needs none of them.
var listed = sync.OnceValue(func() *tables {
	names := mustNames(namesText)
	return &tables{mustCommands(commandsText), names["basenames"], names["extensions"], names["tools"], names["long-flags"], names["short-flags"]}
})

func mustCommands(text string) map[string]*rule {
	out := map[string]*rule{}
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := addCommand(out, strings.Fields(line)); err != nil {
			panic(fmt.Sprintf("commands.txt:%d: %v", i+1, err))
		}
	}
	return out
}

func addCommand(into map[string]*rule, fields []string) error {
	at := 1
	for at < len(fields) {
		if _, ok := classes[fields[at]]; ok {
			break
		}
		at++
	}
	if at == len(fields) {
		return fmt.Errorf("no class in %q", fields)
	}
	var r *rule
	level := into
	for _, w := range fields[:at] {
		next := level[w]
		if next == nil {
			next = &rule{name: w, subs: map[string]*rule{}}
			if r != nil {
				next.values = r.values
			}
			level[w] = next
		}
		r, level = next, next.subs
	}
	r.class = classes[fields[at]]
	for _, cond := range fields[at+1:] {
		key, val, _ := strings.Cut(cond, "=")
		list := strings.Split(val, ",")
		switch key {
		case "deny":
			r.deny = list
		case "need":
			r.need = list
		case "bare":
			r.bare = true
		case "bare-unless":
			r.bare, r.bareUnless = true, list
		case "values":
			r.values = set(list)
		case "check":
			if checks[val] == nil {
				return fmt.Errorf("unknown check %q", val)
			}
			r.check = val
		default:
			return fmt.Errorf("unknown condition %q", cond)
		}
	}
	return nil
}

func mustNames(text string) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	section := ""
	for _, line := range strings.Split(text, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case line[0] == '[':
			section = strings.Trim(line, "[]")
			out[section] = map[string]bool{}
		default:
			for _, w := range strings.Fields(line) {
				out[section][w] = true
			}
		}
	}
	return out
}

func set(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, s := range list {
		out[s] = true
	}
	return out
}
