package corpus

import "fmt"

// Triage is the planted history that most tests want: three skills of one plugin.
//
//   - triage: mechanical through and through; a four-call sequence in every use (twice in each,
//     with a foreign call in some), a one-call staple read of the plugin's own reference;
//   - deploy: a three-call sequence in every second use, broken off now and then, two constant
//     staples in the opening and one that varies, retries and a question;
//   - advise: judgment, spend without much to script.
//
// Beside them stand idle sessions and a user's own skill with triage's sequence, which must not
// be counted.
func Triage(seed uint64) Scenario {
	cache := "/home/dev/.claude/plugins/cache/acme-market/acme/1.0.0/"
	return Scenario{Seed: seed, Idle: 4, Foreign: 3, Skills: []PlantedSkill{
		{Name: "triage", Uses: 12, Slash: true, Talk: 1, Agents: 1,
			Opening: []Staple{{Name: "labels", Call: Read(cache+"references/labels.md", "# Labels")}},
			Sequences: []PlantedSequence{{Name: "gather", PerUse: 2, ForeignEvery: 5, Calls: []Call{
				Bash("gh issue list --state open --limit 50", "#1 a\n#2 b"),
				Bash("git log --oneline -20", "abc def"),
				Bash("jq -r .version package.json", "1.0.0"),
				Bash("grep -rn TODO src", "src/a.go:1: TODO"),
			}}}},
		{Name: "deploy", Uses: 10, Slash: true, Retries: 1, Questions: 1, Talk: 1,
			Opening: []Staple{
				{Name: "readme", Call: Read("/home/dev/app/README.md", "# App")},
				{Name: "status", Call: Bash("git status --short", "")},
				{Name: "log", SkipEvery: 5, Vary: func(use int) Call { return Bash(fmt.Sprintf("tail -n 20 logs/run-%d.log", use), "ok") }},
			},
			Sequences: []PlantedSequence{{Name: "preflight", Every: 2, PerUse: 3, BreakEvery: 4,
				Calls:  []Call{Bash("kubectl get pods -n app", "pod-1 Running"), Bash("docker ps", "none"), Bash("stat build/app", "Size: 100"), Bash("sort -u hosts.txt", "a")},
				Follow: []Call{Ask("Go on?", "yes"), WriteFile("/home/dev/app/plan.txt", "go"), WriteFile("/home/dev/app/plan.txt", "on")}}}},
		{Name: "advise", Uses: 5, Judgments: 3, Questions: 2, Talk: 1},
	}}
}
