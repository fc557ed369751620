package filing

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var longFlag = regexp.MustCompile(`--[a-z][a-z-]+`)

// helpOf runs the program's own help for a sub-command, in an empty home.
func helpOf(t *testing.T, words ...string) string {
	t.Helper()
	cmd := exec.Command(words[0], append(slices.Clone(words[1:]), "--help")...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q --help: %v\n%s", words, err, out)
	}
	return string(out)
}

// Every flag that a search or a plan hands to gh or tea is one that the installed program knows.
func TestTrackerFlags(t *testing.T) {
	// The words of each call before its flags and values.
	subcommands := map[string][][]string{
		"gh":  {{"gh", "issue", "create"}, {"gh", "issue", "comment"}, {"gh", "label", "create"}, {"gh", "api"}},
		"tea": {{"tea", "issues", "list"}, {"tea", "issues", "create"}, {"tea", "comment"}, {"tea", "labels", "create"}},
	}
	for program, channel := range map[string]string{"gh": GitHub, "tea": Gitea} {
		t.Run(program, func(t *testing.T) {
			if _, err := exec.LookPath(program); err != nil {
				t.Skipf("%s is not installed: its flags are not checked", program)
			}
			used := map[string]bool{}
			for _, argv := range calls(t, channels[channel]) {
				known := slices.IndexFunc(subcommands[program], func(words []string) bool {
					return len(argv) >= len(words) && slices.Equal(argv[:len(words)], words)
				})
				if known < 0 {
					t.Errorf("%q is no call that is checked here", argv)
					continue
				}
				words := subcommands[program][known]
				used[strings.Join(words, " ")] = true
				have := longFlag.FindAllString(helpOf(t, words...), -1)
				for _, a := range argv {
					if longFlag.FindString(a) == a && !slices.Contains(have, a) {
						t.Errorf("%s knows no %s", strings.Join(words, " "), a)
					}
				}
			}
			if len(used) != len(subcommands[program]) {
				t.Errorf("only %v were checked", used)
			}
		})
	}
}

// calls are all argument vectors of a channel: searches, labels, new issues and comments.
func calls(t *testing.T, c Config) [][]string {
	t.Helper()
	var list [][]string
	s, err := MakeSearches(sample(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range s.Searches {
		list = append(list, x.Argv)
	}
	e := nothing(t, c)
	for range 2 { // first everything is new, then everything is there
		p, err := MakePlan(sample(), e, c)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p.Labels...)
		for _, a := range p.Actions {
			list = append(list, a.Argv)
			e.Found = append(e.Found, Found{Marker: a.Marker, Issue: a.Repository + "#1", State: "open"})
		}
	}
	return list
}

// The calls themselves, so that a change of one is seen.
func TestCalls(t *testing.T) {
	for _, tt := range []struct {
		channel string
		want    []string
	}{
		{GitHub, []string{
			`gh api --method GET search/issues --raw-field q="harbor/sweep/list-gone" in:body is:issue repo:acme/harbor --raw-field per_page=100 --jq .items`,
			`gh label create kind/capability-gap --repo acme/harbor`,
			`gh issue create --repo acme/harbor --title Move into a script: list-gone of skill sweep --body BODY --label kind/capability-gap --label area/agent-behavior --label domain/agents --label activity/automate --label token-offload`,
			`gh issue comment 1 --repo acme/harbor --body BODY`,
		}},
		{Gitea, []string{
			`tea issues list --repo acme/harbor --login forge --state all --kind issues --limit 50 --keyword harbor/sweep/list-gone --fields index,state,body,labels --output json`,
			`tea labels create --repo acme/harbor --login forge --name kind/capability-gap --color #5319e7`,
			`tea issues create --repo acme/harbor --login forge --title Move into a script: list-gone of skill sweep --description BODY --labels kind/capability-gap,area/agent-behavior,domain/agents,activity/automate,token-offload`,
			`tea comment --repo acme/harbor --login forge 1 BODY`,
		}},
	} {
		var got []string
		for _, argv := range calls(t, channels[tt.channel]) {
			argv = slices.Clone(argv)
			for i, a := range argv {
				if strings.HasPrefix(a, "<!--") {
					argv[i] = "BODY"
				}
			}
			got = append(got, strings.Join(argv, " "))
		}
		for _, want := range tt.want {
			if !slices.Contains(got, want) {
				t.Errorf("no call\n%s\namong\n%s", want, strings.Join(got, "\n"))
			}
		}
	}
}
