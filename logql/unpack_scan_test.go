package logql

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScanUnpack(t *testing.T) {
	var s jsonScanner
	f := func(line, wantEntry string, wantPacked, wantErr bool, want ...string) {
		t.Helper()
		var got []string
		entry, packed, err := s.scanUnpack([]byte(line), func(key, value []byte) bool {
			got = append(got, string(key)+"="+string(value))
			return true
		})
		if string(entry) != wantEntry || packed != wantPacked || (err != nil) != wantErr {
			t.Errorf("scanUnpack(%q) = %q, %v, %v", line, entry, packed, err)
		}
		if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
			t.Errorf("scanUnpack(%q) (-want +got)\n%s", line, diff)
		}
	}
	f(`{"container":"web","pod":"p\t1","_entry":"GET \"/x\""}`, `GET "/x"`, true, false, "container=web", "pod=p\t1")
	f(`{"_entry":"x","a.b":"1","n":5,"o":{"p":"q"},"":"e"}`, "x", true, false, "a_b=1")
	f(`{"_entry":""}`, "", true, false)
	f(`{"_entry":5,"x":"y"}`, "", false, false)
	f(`{"pod":"p","num":5,"nested":{"_entry":"x"},"flag":true}`, "", false, false)
	f(`{}`, "", false, false)
	f(``, "", false, false)
	f(`{"a":"1"} trailing`, "", false, false)
	f(`{"_entry":"x"`, "", false, true)
	f(`{bad:1}`, "", false, true)
	f(`[1]`, "", false, true)
	f(` {"_entry":"x"}`, "", false, true)
	f(`plain`, "", false, true)
}
