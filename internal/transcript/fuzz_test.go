package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A plain reading of a row by encoding/json, to hold the walk against.

type object map[string]json.RawMessage

func asObject(raw json.RawMessage) object {
	var o object
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

func asList(raw json.RawMessage) (list []json.RawMessage) {
	if len(raw) > 0 && raw[0] == '[' {
		_ = json.Unmarshal(raw, &list)
	}
	return list
}

func asText(raw json.RawMessage) (s string) {
	if len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &s)
	}
	return s
}

func (o object) text(k string) string { return asText(o[k]) }
func (o object) isTrue(k string) bool { return string(o[k]) == "true" }
func (o object) count(k string) int64 {
	raw := o[k]
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0
	}
	return parseCount(raw)
}

func (o object) usage() string {
	split := asObject(o["cache_creation"])
	written := o["cache_creation_input_tokens"]
	u := usage{input: o.count("input_tokens"), output: o.count("output_tokens"), read: o.count("cache_read_input_tokens"),
		write: o.count("cache_creation_input_tokens"), write5m: split.count("ephemeral_5m_input_tokens"), write1h: split.count("ephemeral_1h_input_tokens"),
		searches:  asObject(o["server_tool_use"]).count("web_search_requests"),
		aggregate: len(written) > 0 && written[0] >= '0' && written[0] <= '9', fast: o.text("speed") == "fast"}
	return fmt.Sprint(u)
}

// expected describes an object as describeRow describes what the walk read of it.
func expected(o object) string {
	var b bytes.Buffer
	m := asObject(o["message"])
	fmt.Fprintln(&b, o.text("type"), o.text("uuid"), o.text("sessionId"), o.text("requestSessionId"), o.text("requestId"), o.text("timestamp"),
		o.text("version"), o.text("cwd"), o.text("agentId"), o.isTrue("isSidechain"), o.isTrue("isMeta"), o.isTrue("isCompactSummary"), o.isTrue("isApiErrorMessage"),
		o.text("attributionSkill"), o.text("attributionPlugin"), o.text("attributionAgent"), o.text("subtype"), o.text("sourceToolUseID"), o.text("parentToolUseID"),
		asObject(o["origin"]).text("kind"), asObject(o["toolUseResult"]).text("agentId"))
	u := asObject(m["usage"])
	fmt.Fprintln(&b, m.text("id"), m.text("model"), len(m["stop_reason"]) > 0 && m["stop_reason"][0] == '"', u != nil, u.usage())
	for _, raw := range asList(u["iterations"]) {
		it := asObject(raw)
		fmt.Fprintln(&b, it.text("type"), it.text("model"), it.usage())
	}
	content := m["content"]
	fmt.Fprintln(&b, len(content) > 0 && content[0] == '"', asText(content))
	for _, raw := range asList(content) {
		bl := asObject(raw)
		if bl == nil {
			continue
		}
		text, results := bl.text("text"), []string(nil)
		switch inner := bl["content"]; {
		case len(inner) > 0 && inner[0] == '"':
			text = asText(inner)
		case len(inner) > 0 && inner[0] == '[':
			for _, part := range asList(inner) {
				if t := asObject(part)["text"]; len(t) > 0 && t[0] == '"' {
					results = append(results, asText(t))
				}
			}
		}
		input, args := "", map[string]string{}
		if o := asObject(bl["input"]); o != nil {
			input = string(bl["input"])
			for k, v := range o {
				args[k] = string(v)
			}
		}
		fmt.Fprintln(&b, bl.text("type"), bl.text("name"), bl.isTrue("is_error"), text, results, input, args)
	}
	return b.String()
}

// valid is text as encoding/json decodes it: each byte that is not UTF-8 replaced.
func valid(s []byte) string { return string([]rune(string(s))) }

// plain is a raw string's value.
func plain(raw []byte) string {
	if bytes.IndexByte(raw, '\\') >= 0 {
		raw = unescape(nil, raw)
	}
	return valid(raw)
}

func describeRow(r *row) string {
	var b bytes.Buffer
	m := &r.message
	fmt.Fprintln(&b, valid(r.kind), valid(r.uuid), valid(r.session), valid(r.originSession), valid(r.request), valid(r.stamp),
		valid(r.version), valid(r.cwd), valid(r.agent), r.sidechain, r.meta, r.summary, r.apiError,
		valid(r.skill), valid(r.plugin), valid(r.attributionAgent), valid(r.subtype), valid(r.sourceCall), valid(r.parentCall),
		valid(r.origin), valid(r.resultAgent))
	fmt.Fprintln(&b, valid(m.id), valid(m.model), m.stopped, m.hasUsage, fmt.Sprint(m.usage))
	for _, it := range m.iterations {
		fmt.Fprintln(&b, valid(it.kind), valid(it.model), fmt.Sprint(it.usage))
	}
	fmt.Fprintln(&b, m.textual, plain(m.text))
	for _, bl := range m.blocks {
		results := []string(nil)
		for _, part := range m.parts[bl.from:bl.to] {
			results = append(results, plain(part))
		}
		args := map[string]string{}
		for _, a := range m.args[bl.argFrom:bl.argTo] {
			args[valid(a.Key)] = string(a.Value)
		}
		fmt.Fprintln(&b, valid(bl.kind), valid(bl.name), bl.isError, plain(bl.text), results, string(bl.input), args)
	}
	return b.String()
}

// hostile are lines that a walk may stumble over.
var hostile = []string{
	``, ` `, "\r", "\x00", "\xef\xbb\xbf{}", `{}`, `{} {}`, `{}{}`, `{}x`, `x{}`, `[{}]`, `1 2`, `01`, `-`, `nullnull`, `"a""b"`, `{"a":1}5{"b":2}`,
	`{"type":"assistant","message":{"id":"m","usage":{"input_tokens":1}}}` + "\r",
	`{"\u0074ype":"assistant","\u006dessage":{"\u0069d":"m"}}`,
	`{"type":"user","type":"assistant","message":{"id":"a"},"message":{"model":"b"}}`,
	`{"message":{"usage":{"output_tokens":5},"usage":null}}`, `{"message":{"content":"x","content":[{"type":"text","text":"}\"{]\\"}]}}`,
	`{"message":{"usage":{"input_tokens":1e3,"output_tokens":-1,"cache_read_input_tokens":1.5,"cache_creation_input_tokens":99999999999999999999}}}`,
	`{"message":{"content":[1,null,"s",[],{"type":"tool_use","id":"t","name":"Bash","input":{"command":"a \"{\" b"}},{"type":"tool_result","tool_use_id":"t","content":[{"text":"x"},{"text":1},3],"is_error":true}]}}`,
	`{"message":{"usage":{"server_tool_use":{"web_fetch_requests":1,"web_search_requests":2},"output_tokens":3}}}`,
	`{"message":{"usage":{"server_tool_use":[{"web_search_requests":2}],"input_tokens":3}}}`,
	`{"message":{"stop_reason":null,"usage":{"iterations":[{"type":"advisor_message","model":"m","input_tokens":1,"iterations":[]},1],"cache_creation":{"ephemeral_1h_input_tokens":2}}}}`,
	`{"sessionId":"\ud83d\ude00 \ud800 \udc00\ud800","cwd":"C:\\Users\\x","uuid":"` + "\xff\xfe" + `","type":1,"isMeta":"true","origin":{"kind":"human"},"toolUseResult":{"agentId":"a","x":[{"agentId":"b"}]}}`,
	`{"type":"user","mess{"type":"assistant","message":{"id":"torn"}}}`, `}}{"type":"assistant","message":{"usage":{"input_tokens":`, `{"a":"\p"}`, `{"a":"` + "\t" + `"}`, `{"a":1,}`, `{,}`, `{"a" 1}`, `{"a":}`,
}

// The walk accepts and rejects what encoding/json does, and reads the same values.
func FuzzRow(f *testing.F) {
	for _, s := range hostile {
		f.Add([]byte(s))
	}
	for _, dir := range []string{"real-cli/plain", "real-cli/blocks", "public"} {
		files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "transcripts", dir, "projects", "*", "*.jsonl"))
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				continue
			}
			lines := bytes.Split(data, []byte("\n"))
			for i := 0; i < len(lines); i += 1 + len(lines)/8 {
				if len(lines[i]) < 4000 {
					f.Add(lines[i])
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 {
			return // never part of a line
		}
		padded := slices.Clone(line)
		dec := json.NewDecoder(bytes.NewReader(line))
		i := skipSpace(line, 0)
		var r row
		for {
			var raw json.RawMessage
			err := dec.Decode(&raw)
			if i >= len(line) {
				if err == nil || err.Error() != "EOF" {
					t.Fatalf("%q: the walk is at its end, encoding/json says %v %q", line, err, raw)
				}
				break
			}
			end := -1
			if line[i] == '{' {
				end = parseRow(line, i, 0, &r)
			} else {
				end = skipValue(line, i, 0)
			}
			if (err == nil) != (end >= 0) {
				t.Fatalf("%q at %d: the walk says %d, encoding/json %v", line, i, end, err)
			}
			if err != nil {
				break
			}
			if line[i] == '{' {
				if got, want := describeRow(&r), expected(asObject(raw)); got != want {
					t.Fatalf("%q:\ngot  %s\nwant %s", line, got, want)
				}
			}
			i = skipSpace(line, end)
		}
		if !bytes.Equal(line, padded) {
			t.Fatal("the line was written to")
		}
	})
}

// Whatever stands in a file, the walk does not crash, the pieces join, and the digest
// reads back.
func FuzzFile(f *testing.F) {
	f.Add([]byte(hostile[17]+"\n"+hostile[20]+"\n"), int64(7))
	all := []byte{}
	for _, s := range hostile {
		all = append(append(all, s...), '\n')
	}
	f.Add(all, int64(100))
	f.Add([]byte(rowSpec{session: "s", origin: "o", id: "m", uuid: "u", content: "[" + use("t", "Agent", "{}") + "]"}.String()+
		`{"type":"user","sessionId":"s","uuid":"v","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"r"}]},"toolUseResult":{"agentId":"x"}}`+"\n"+
		`{"type":"progress","sessionId":"s","parentToolUseID":"t","data":{"type":"agent_progress","agentId":"x","message":{"type":"assistant","message":{"id":"q","usage":{"output_tokens":3}}}}}`+"\n"), int64(300))
	f.Fuzz(func(t *testing.T, data []byte, size int64) {
		dir := tree(t, map[string]string{"projects/p/s.jsonl": string(data), "projects/p/s/subagents/agent-x.jsonl": string(data)})
		whole := describe(open(t, Options{ConfigDirs: []string{dir}}))
		cut := describe(open(t, Options{ConfigDirs: []string{dir}, pieces: pieces{above: 1, size: max(size, 1+int64(len(data))/50)}}))
		if whole != cut {
			t.Fatalf("cut in pieces it says something else%s", firstDifference(whole, cut))
		}
	})
}
