package logql

import "testing"

func TestIPMatcher(t *testing.T) {
	f := func(arg, text string, want bool) {
		t.Helper()
		m, err := compileIP(arg)
		if err != nil {
			t.Errorf("compileIP(%q): %v", arg, err)
			return
		}
		if got := m.findIn([]byte(text)); got != want {
			t.Errorf("ip(%q) finds one in %q: %v; want %v", arg, text, got, want)
		}
		if got := m.matchAddr(text); got != want {
			t.Errorf("ip(%q) matches %q: %v; want %v", arg, text, got, want)
		}
	}
	f("10.0.0.1", "10.0.0.1", true)
	f("10.0.0.1", "10.0.0.11", false)
	f("3.180.71.3", "93.180.71.3 - -", false)
	f("10.0.0.1", "from 10.0.0.1:8080 to", true)
	f("10.0.0.1", `{"ip":"10.0.0.1"}`, true)
	f("10.0.0.0/8", "10.255.0.1", true)
	f("10.0.0.0/8", "11.0.0.1", false)
	f("10.1.2.3/8", "10.9.9.9", true)
	f("0.0.0.0/0", "8.8.8.8", true)
	f("0.0.0.0/0", "no address, version 1.2.3", false)
	f("192.168.4.1-192.168.4.30", "192.168.4.30", true)
	f("192.168.4.1-192.168.4.30", "192.168.4.31", false)
	f("::1", "listen [::1]:80", true)
	f("fe80::1", "addr=[fe80::1%eth0]:80", true)
	f("2001:db8::10", "2001:0db8:0000:0000:0000:0000:0000:0010", true)
	f("2001:db8::/32", "x 2001:db8::5 y", true)
	f("2001:db8::1-2001:db8::f", "2001:db8::a", true)
	f("::/0", "10.0.0.1", false)
	f("::/0", "12:00:05 no address", false)
	f("0.0.0.0/0", "::1", false)
	f("::1", "::1", false)
	f("::1", "at ::1", false)
	f("::1", "::1 - -", true)
	f("::/0", "1::23", true)
	f("10.0.0.0/8", "", false)
	f("10.0.0.0/8", "999.1.1.1 10.0.0.256", false)
	f("10.0.0.0/8", "1.2.3.4 10.0.0.1", true)
	f("255.255.255.255", "255.255.255.255", true)

	for _, arg := range []string{"", "nope", "1.2.3", "1.2.3.4/99", "1.2.3.4/", "1.1.1.9-1.1.1.1", "1.1.1.1-", "-1.1.1.1", "1.1.1.1-::1", "a-b"} {
		if _, err := compileIP(arg); err == nil {
			t.Errorf("compileIP(%q) is accepted", arg)
		}
	}
}

func FuzzIPMatcher(f *testing.F) {
	f.Add("10.0.0.0/8", "x 10.0.0.1:80")
	f.Add("::1-::2", "[::1%eth0]")
	f.Fuzz(func(t *testing.T, arg, text string) {
		m, err := compileIP(arg)
		if err != nil {
			return
		}
		if m.findIn([]byte(text)) != m.matchAddr(text) {
			t.Error("text and bytes differ")
		}
	})
}
