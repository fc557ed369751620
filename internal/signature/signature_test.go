package signature

import (
	"encoding/json"
	"testing"

	"github.com/tidwall/gjson"
)

var testOwn = Own{
	Plugin: "acme", Root: "/home/u/acme",
	Files:       []string{"README.md", "references/rules.md", "skills/deploy/SKILL.md", "skills/deploy/scripts/plan.py", "bin/acme-plan"},
	Executables: []string{"skills/deploy/scripts/plan.py", "bin/acme-plan"},
}

// TestBash is the truth table of shell texts (2-measure.md 2.3, 2.4).
func TestBash(t *testing.T) {
	m := New(testOwn)
	for _, c := range []struct {
		text, sig, full string
		reads, own      bool
	}{
		{"git status", "Bash git status", "Bash git status", true, false},
		{"git -C /srv/x log --oneline -5 main..HEAD", "Bash git log", "Bash git log -C <path> --oneline -<n> <arg>", true, false},
		{"git log --output=x", "Bash git log", "Bash git log --output=<arg>", false, false},
		{"git branch --show-current", "Bash git branch", "Bash git branch --show-current", true, false},
		{"git branch topic", "Bash git branch", "Bash git branch <arg>", false, false},
		{"git branch -vv", "Bash git branch", "Bash git branch -vv", true, false},
		{"git tag", "Bash git tag", "Bash git tag", true, false},
		{"git tag v1", "Bash git tag", "Bash git tag <arg>", false, false},
		{"git stash", "Bash git stash", "Bash git stash", false, false},
		{"git stash list", "Bash git stash list", "Bash git stash list", true, false},
		{"git config --get user.name", "Bash git config", "Bash git config --get <arg>", true, false},
		{"git config user.name x", "Bash git config", "Bash git config <arg>", false, false},
		{"git secretalias now", "Bash git <arg>", "Bash git <arg> <arg>", false, false},
		{"cd /tmp/x && git status 2>/dev/null", "Bash git status", "Bash git status", true, false},
		{"cd /tmp/x", "Bash cd", "Bash cd <path>", true, false},
		{"git status > out.txt", "Bash git status", "Bash git status", false, false},
		{"git status 2>&1 | head -20", "Bash git status; head", "Bash git status; head -<n>", true, false},
		{"cat <<'X'\nhello\nX", "Bash cat", "Bash cat", false, false},
		{"cat README.md docs/a.md", "Bash cat", "Bash cat README.md <path.md>", true, false},
		{"sudo ls", "Bash sudo", "Bash sudo <arg>", false, false},
		{"frobnicate --now", "Bash <prog>", "Bash <prog> <flag>", false, false},
		{"find . -name '*.go' -delete", "Bash find", "Bash find <path> -name <path.go> -delete", false, false},
		{"find . -name '*.go'", "Bash find", "Bash find <path> -name <path.go>", true, false},
		{"sed -n '1,20p' a.go", "Bash sed", "Bash sed -n <str> <path.go>", true, false},
		{"sed -i s/a/b/ a.go", "Bash sed", "Bash sed -i <path> <path.go>", false, false},
		{"sed 's/a/b/w out' a.go", "Bash sed", "Bash sed <str> <path.go>", false, false},
		{"sed 's/w/e/g' a.go", "Bash sed", "Bash sed <path> <path.go>", true, false},
		{"awk '{print $1}' x.csv", "Bash awk", "Bash awk <str> <path.csv>", true, false},
		{"awk '{print > \"f\"}' x.csv", "Bash awk", "Bash awk <str> <path.csv>", false, false},
		{"awk '$1 > 5 {print $2}' x.csv", "Bash awk", "Bash awk <str> <path.csv>", true, false},
		{"awk '{system(\"rm\")}'", "Bash awk", "Bash awk <str>", false, false},
		{"ls | xargs grep -l foo", "Bash ls; xargs grep", "Bash ls; xargs grep -l <arg>", true, false},
		{"ls | xargs rm", "Bash ls; xargs rm", "Bash ls; xargs rm", false, false},
		{"gh api repos/o/r/pulls/1/comments --jq '.[].id'", "Bash gh api", "Bash gh api <path> --jq <str>", true, false},
		{"gh api -X POST repos/o/r", "Bash gh api", "Bash gh api -X <arg> <path>", false, false},
		{"gh api repos/o/r -f a=b", "Bash gh api", "Bash gh api <path> -f <arg>", false, false},
		{"gh api -X GET search/issues -f q=x", "Bash gh api", "Bash gh api -X <arg> <path> -f <arg>", true, false},
		{"gh api graphql -f query=x", "Bash gh api", "Bash gh api <arg> -f <arg>", false, false},
		{"gh -R o/r pr view 12 --json title", "Bash gh pr view", "Bash gh pr view -R <path> <n> --json <arg>", true, false},
		{"pr=$(gh pr view --json number)", "Bash gh pr view", "Bash gh pr view --json <arg>", true, false},
		{"for i in 1 2; do gh pr diff $i; done", "Bash gh pr diff", "Bash gh pr diff <arg>", true, false},
		{"kubectl get pods -n prod", "Bash kubectl get", "Bash kubectl get <arg> -n <arg>", true, false},
		{"kubectl get pods --watch", "Bash kubectl get", "Bash kubectl get <arg> --watch", false, false},
		{"docker compose ps", "Bash docker compose ps", "Bash docker compose ps", true, false},
		{"docker compose -f dev.yml ps", "Bash docker compose ps", "Bash docker compose ps -f <path.yml>", true, false},
		{"docker compose -f dev.yml up", "Bash docker compose up", "Bash docker compose up -f <path.yml>", false, false},
		{"timeout 5 git status", "Bash git status", "Bash git status", true, false},
		{"bash -c 'git diff; rm x'", "Bash git diff; rm", "Bash git diff; rm <arg>", false, false},
		{"command -v jq", "Bash command", "Bash command -v <arg>", true, false},
		{"npm run build", "Bash npm run", "Bash npm run <arg>", false, false},
		{"curl https://x.example/a?b=c", "Bash curl", "Bash curl <url>", false, false},
		{"git show 3f2a9c1d", "Bash git show", "Bash git show <hash>", true, false},
		{"acme-plan --json | jq .x", "Bash <own:bin/acme-plan>; jq", "Bash <own:bin/acme-plan> --json; jq <arg>", false, true},
		{`python3 "${CLAUDE_PLUGIN_ROOT}/skills/deploy/scripts/plan.py" prod`, "Bash python3 <own:skills/deploy/scripts/plan.py>",
			"Bash python3 <own:skills/deploy/scripts/plan.py> <arg>", false, true},
		{"python3 /home/u/.claude/plugins/cache/m/acme/1.2.0/skills/deploy/scripts/plan.py", "Bash python3 <own:skills/deploy/scripts/plan.py>",
			"Bash python3 <own:skills/deploy/scripts/plan.py>", false, true},
		{"python3 /home/u/.claude/plugins/cache/m/other/1.2.0/skills/deploy/scripts/plan.py", "Bash python3", "Bash python3 <path.py>", false, false},
		{"acme-plan && git commit -m x", "Bash <own:bin/acme-plan>; git commit", "Bash <own:bin/acme-plan>; git commit -m <arg>", false, false},
		{"cat /home/u/acme/references/rules.md", "Bash cat", "Bash cat <own:references/rules.md>", true, false},
		{"mysql -pHunter2", "Bash mysql", "Bash mysql <flag>", false, false},
		{"if true; then", "Bash <unparsed>", "Bash <unparsed>", false, false},
		{"git status &", "Bash git status", "Bash git status", false, false},
		{"[[ -f x ]] && cat x", "Bash cat", "Bash cat <arg>", true, false},
		{"cat <(git log)", "Bash cat; git log", "Bash cat <arg>; git log", true, false},
		{"", "Bash", "Bash", true, false},
	} {
		input, _ := json.Marshal(map[string]string{"command": c.text})
		s := shape(m)([]byte("Bash"), input)
		if s.Sig != c.sig || s.Full != c.full {
			t.Errorf("%q:\n got  %q / %q\n want %q / %q", c.text, s.Sig, s.Full, c.sig, c.full)
		}
		if s.Own != c.own || s.ReadOnly != c.reads {
			t.Errorf("%q: read-only %t, own %t; want %t, %t", c.text, s.ReadOnly, s.Own, c.reads, c.own)
		}
	}
}

func TestTools(t *testing.T) {
	m := New(testOwn)
	for _, c := range []struct{ tool, input, sig, full string }{
		{"Read", `{"file_path":"/x/go.mod"}`, "Read go.mod", "Read go.mod"},
		{"Read", `{"file_path":"/x/secret.go","offset":3}`, "Read <path.go>", "Read <path.go> offset=<n>"},
		{"Read", `{"file_path":"C:\\u\\secret"}`, "Read <path>", "Read <path>"},
		{"Read", `{"file_path":"/home/u/acme/references/rules.md"}`, "Read <own:references/rules.md>", "Read <own:references/rules.md>"},
		{"Read", `{"file_path":"/home/u/acme/references/gone.md"}`, "Read <path.md>", "Read <path.md>"},
		{"Grep", `{"pattern":"x","path":"/s","secret":1}`, "Grep", "Grep path=<path> pattern=<str>"},
		{"Edit", `{"file_path":"a.md","old_string":"x"}`, "Edit <path.md>", "Edit <path.md>"},
		{"mcp__a__get_x", `{"q":"secret"}`, "mcp__a__get_x", "mcp__a__get_x"},
		{"Task\" >\n<parameter name=\"description", `{}`, "<tool>", "<tool>"},
		{"mcp__a b__c", `{}`, "<tool>", "<tool>"},
		{"NewTool", `{"a":"b"}`, "NewTool", "NewTool"},
	} {
		if s := shape(m)([]byte(c.tool), []byte(c.input)); s.Sig != c.sig || s.Full != c.full {
			t.Errorf("%s %s: %q / %q, want %q / %q", c.tool, c.input, s.Sig, s.Full, c.sig, c.full)
		}
	}
}

// TestIdentity: the same arguments, whatever the masks hide, under one key only.
func TestIdentity(t *testing.T) {
	m := New(testOwn).WithKey([]byte("k"))
	read := func(m *Masker, p string) Shape { return shape(m)([]byte("Read"), []byte(`{"file_path":"`+p+`"}`)) }
	a, b, c := read(m, "/x/a.go"), read(m, "/x/b.go"), read(m, "/x/a.go")
	if a.Sig != b.Sig || a.Identity == b.Identity || a.Identity != c.Identity {
		t.Errorf("identities %x %x %x of %q %q", a.Identity, b.Identity, c.Identity, a.Sig, b.Sig)
	}
	other := New(testOwn).WithKey([]byte("l"))
	if read(other, "/x/a.go").Identity == a.Identity {
		t.Error("the key does not matter")
	}
	if other.ID() == m.ID() || m.ID() == New(Own{}).WithKey([]byte("k")).ID() {
		t.Error("ID does not tell the maskers apart")
	}
}

func TestHash(t *testing.T) {
	if got := Hash([]string{"Bash git status", "Bash git diff"}); got != "sig1:"+got[5:] || len(got) != 21 {
		t.Errorf("Hash = %q", got)
	}
	if Hash([]string{"a", "b"}) == Hash([]string{"ab"}) {
		t.Error("joined without a separator")
	}
}

// shape is m.Shape of arguments that nobody has taken apart yet.
func shape(m *Masker) func(tool, input []byte) Shape {
	return func(tool, input []byte) Shape {
		var args []Member
		gjson.ParseBytes(input).ForEach(func(k, v gjson.Result) bool {
			args = append(args, Member{Key: []byte(k.String()), Value: []byte(v.Raw)})
			return true
		})
		return m.Shape(tool, input, args)
	}
}
