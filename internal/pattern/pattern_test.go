package pattern

import "testing"

func TestNew(t *testing.T) {
	bad := New(`(`) // nobody needs it
	p := New(`^a+$`)
	if first := p(); p() != first || !first.MatchString("aa") {
		t.Error("not compiled once")
	}
	defer func() {
		if recover() == nil {
			t.Error("an expression that is none does not panic")
		}
	}()
	bad()
}
