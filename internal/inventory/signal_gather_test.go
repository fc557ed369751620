package inventory

import (
	"strings"
	"testing"
)

func TestGathers(t *testing.T) {
	for command, want := range map[string]bool{
		"git log --oneline -5":                   true,
		"git status --porcelain":                 true,
		"git fetch origin --prune":               true,
		"git branch -vv":                         true,
		"git branch -D old":                      false,
		"git branch new":                         false,
		"git branch --list 'x*'":                 true,
		"git remote -v":                          true,
		"git remote get-url origin":              true,
		"git remote add upstream URL":            false,
		"git stash list":                         true,
		"git stash":                              false,
		"git worktree list --porcelain":          true,
		"git worktree remove PATH":               false,
		"git push origin main":                   false,
		"git -C PATH status":                     true,
		"gh pr view 3 --json title":              true,
		"gh label list --limit 200":              true,
		"gh issue list --search x":               true,
		"gh issue create --title list":           false,
		"gh pr merge 3 --squash":                 false,
		"gh api repos/o/r":                       true,
		"gh api -X POST repos/o/r/issues":        false,
		"gh api repos/o/r -f title=x":            false,
		"gh api --method GET search/code -f q=x": true,
		"kubectl get pods -n x":                  true,
		"kubectl rollout status deploy/x":        true,
		"kubectl rollout restart deploy/x":       false,
		"oc auth can-i get pods":                 true,
		"curl -sf https://x.test":                true,
		"curl -f https://x.test":                 true,
		"curl -X DELETE https://x.test":          false,
		"curl -d @body https://x.test":           false,
		"find . -name '*.go'":                    true,
		"find . -delete":                         false,
		"find . -exec rm {} ;":                   false,
		"find . -exec stat {} ;":                 true,
		"sed -n 1p f":                            true,
		"sed -i s/a/b/ f":                        false,
		"grep -r x .":                            true,
		"sudo lsof -i":                           true,
		"env A=1 git log":                        true,
		"xargs -n 1 git show":                    true,
		"timeout 5 git push":                     false,
		"command -v oc":                          true,
		"rm -rf x":                               false,
		"npm install":                            false,
		"npm ls":                                 true,
		"terraform state list":                   true,
		"terraform apply":                        false,
		"echo list":                              false,
		"some-unknown-tool show thing":           true,
		"some-unknown-tool thing":                false,
		"some-unknown-tool create thing":         false,
		"sudo":                                   false,
	} {
		if got := gathers(strings.Fields(strings.ReplaceAll(command, "'", ""))); got != want {
			t.Errorf("%q: gathers %v, want %v", command, got, want)
		}
	}
	if gathers(nil) {
		t.Error("no command gathers nothing")
	}
}
