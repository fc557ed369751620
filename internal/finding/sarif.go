package finding

import (
	"encoding/json"
	"io"
	"net/url"
	"path"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// The parts of SARIF 2.1.0 (OASIS) that a check has something to say in.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifInvocation struct {
		ExecutionSuccessful        bool                `json:"executionSuccessful"`
		ToolExecutionNotifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Descriptor sarifDescriptor `json:"descriptor"`
		Level      string          `json:"level"`
		Message    sarifText       `json:"message"`
		Locations  []sarifLocation `json:"locations,omitempty"`
	}
	sarifDescriptor struct {
		ID string `json:"id"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name            string      `json:"name"`
		SemanticVersion string      `json:"semanticVersion"`
		Rules           []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string      `json:"id"`
		Name                 string      `json:"name"`
		ShortDescription     sarifText   `json:"shortDescription"`
		FullDescription      sarifText   `json:"fullDescription"`
		Help                 sarifText   `json:"help"`
		DefaultConfiguration sarifConfig `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID              string             `json:"ruleId"`
		RuleIndex           int                `json:"ruleIndex"`
		Level               string             `json:"level"`
		Message             sarifText          `json:"message"`
		Locations           []sarifLocation    `json:"locations"`
		PartialFingerprints map[string]string  `json:"partialFingerprints"`
		BaselineState       string             `json:"baselineState,omitempty"`
		Suppressions        []sarifSuppression `json:"suppressions"`
		Properties          map[string]any     `json:"properties"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
		EndLine   int `json:"endLine"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// sarifRules are the kinds of candidates, in the order of rubric 3.1.
var sarifRules = []struct{ kind, name, short, help string }{
	{audit.Sequence, "RepeatedSequence", "The same calls recur in most uses.", "Write one script that makes these calls and hands over their result; the model then spends one turn instead of several."},
	{audit.Preload, "ReadFirst", "The same facts are read at the start of most uses.", "Load them with the component (a line that the host runs), or gather them in one prepare call."},
	{audit.Procedure, "NarratedProcedure", "Prose tells the model a procedure of mechanical steps.", "Ship a script for the steps that need no judgment and let the prose call it."},
	{audit.Table, "NarratedTable", "Prose tells the model a rule table to apply.", "Let a script apply the table and mark what it does not cover as undecided."},
	{audit.Wrapper, "FiddlyInvocation", "A command is often retried before it works.", "Wrap the command in a script that calls it right."},
	{audit.DigestOf, "ReadAmplification", "Far more is read than used.", "Let a script read and hand over only what is needed to judge."},
	{audit.Drift, "HookProseDrift", "The same logic stands in a hook script and in prose.", "Keep it in one place and point to it from the other."},
}

// RulePrefix stands before a candidate's kind in a rule's id.
const RulePrefix = "offload/"

// WriteSARIF writes the reports as one run of SARIF 2.1.0. version is the tool's. Every finding
// is a result; those that do not fail carry a suppression (waived, below the cut or the
// level) or the baseline state "unchanged". Warnings are notifications of the invocation.
func WriteSARIF(w io.Writer, version string, reports ...Report) error {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "inference-arbitrage", SemanticVersion: version}
	index := map[string]int{}
	for i, r := range sarifRules {
		index[r.kind] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: RulePrefix + r.kind, Name: r.name, ShortDescription: sarifText{r.short},
			FullDescription: sarifText{r.short + " " + r.help}, Help: sarifText{r.help},
			DefaultConfiguration: sarifConfig{defaultLevel(r.kind)},
		})
	}
	notes := []sarifNotification{}
	for _, r := range reports {
		for i := range r.Findings {
			run.Results = append(run.Results, sarifResultOf(&r.Findings[i], r.Document, index, r.Prefix))
		}
		for i := range r.Warnings {
			notes = append(notes, sarifNotificationOf(&r.Warnings[i], r.Prefix))
		}
	}
	run.Invocations = []sarifInvocation{{ExecutionSuccessful: true, ToolExecutionNotifications: notes}}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
}

func sarifNotificationOf(x *audit.Warning, prefix string) sarifNotification {
	n := sarifNotification{Descriptor: sarifDescriptor{x.Code}, Level: "warning", Message: sarifText{x.Message}}
	if x.Path != "" {
		n.Locations = []sarifLocation{{sarifPhysicalAt(path.Join(prefix, x.Path), x.Line, x.Line)}}
	}
	return n
}

// sarifPhysicalAt is a place in a file; without a region when no line is meant.
func sarifPhysicalAt(file string, first, last int) sarifPhysical {
	place := sarifPhysical{ArtifactLocation: sarifArtifact{URI: (&url.URL{Path: file}).String()}}
	if first > 0 {
		place.Region = &sarifRegion{StartLine: first, EndLine: max(first, last)}
	}
	return place
}

func sarifResultOf(f *Finding, doc *Document, index map[string]int, prefix string) sarifResult {
	r := sarifResult{
		RuleID: RulePrefix + f.Kind, RuleIndex: index[f.Kind], Level: level(f), Message: sarifText{f.Message},
		PartialFingerprints: map[string]string{"candidate/v1": f.ID}, Suppressions: []sarifSuppression{},
		Properties: map[string]any{"candidate": f.ID, "score": f.Score, "state": f.State, "strength": f.Strength, "verdict": f.Verdict},
	}
	r.Locations = []sarifLocation{{sarifPhysicalAt(location(f, prefix), f.FirstLine, f.LastLine)}}
	if doc.Baseline != "" {
		r.BaselineState = "new"
		if f.State == Known {
			r.BaselineState = "unchanged"
		}
	}
	switch f.State {
	case Waived:
		r.Suppressions = append(r.Suppressions, sarifSuppression{"external", f.Waiver.Reason + " (until " + f.Waiver.Expires + ")"})
	case BelowCut:
		r.Suppressions = append(r.Suppressions, sarifSuppression{"external", "nobody judged it, and its score is below the cut"})
	case BelowLevel:
		r.Suppressions = append(r.Suppressions, sarifSuppression{"external", "less serious than --fail-on " + doc.FailOn})
	}
	return r
}

// level of a finding in SARIF's words and in those of GitHub's commands but for "note".
func level(f *Finding) string {
	switch f.Verdict {
	case audit.File:
		return "error"
	case audit.BoundaryQuestion:
		return "warning"
	}
	return "note"
}

func defaultLevel(kind string) string {
	if kind == audit.Drift {
		return "note"
	}
	return "warning"
}

// location is a finding's file relative to the repository; the manifest where no file is known.
func location(f *Finding, prefix string) string {
	if f.Path == "" {
		return path.Join(prefix, ".claude-plugin/plugin.json")
	}
	return path.Join(prefix, f.Path)
}
