package plugin

import (
	"fmt"
	"strings"
	"testing"
)

func TestJSONPlaces(t *testing.T) {
	j, err := ParseJSON("{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [true,\n      null, \"x\"]\n  },\n  \"a\": 2\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var walk func(name string, j JSON)
	walk = func(name string, j JSON) {
		got = append(got, fmt.Sprintf("%s@%d=%s", name, j.Line, j.Type()))
		for _, m := range j.Members {
			walk(m.Key, m.JSON)
		}
		for _, i := range j.Items {
			walk("-", i)
		}
	}
	walk("", j)
	want := "@1=object a@2=number b@3=object c@4=list -@4=boolean -@5=null -@5=string a@7=number"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if d := j.Duplicates(); len(d) != 1 || d[0].Key != "a" || d[0].Line != 7 {
		t.Errorf("duplicates %+v", d)
	}
	if a, _ := j.Get("a"); fmt.Sprint(a.Value) != "2" {
		t.Errorf("a = %v, expected the last", a.Value)
	}
}

func TestJSONRefusals(t *testing.T) {
	for _, c := range []struct {
		in   string
		line int
		msg  string
	}{
		{"", 1, "ends before"},
		{"{\n\"a\":\n", 2, "ends before"},
		{"{\n  \"a\": 1,\n}", 3, "invalid character"},
		{"{}\n{}", 2, "after the end"},
		{"{\n'a': 1}", 2, "invalid character"},
		{"// c\n{}", 1, "invalid character"},
		{strings.Repeat("[", 200), 1, "too deeply"},
	} {
		_, err := ParseJSON(c.in)
		if err == nil || err.Line != c.line || !strings.Contains(err.Msg, c.msg) {
			t.Errorf("%.20q: %v, expected line %d and %q", c.in, err, c.line, c.msg)
		}
	}
}
