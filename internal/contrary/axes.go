package contrary

import "strings"

// axes holds words in base form that are contrary to those on the other side
// of the bar. Words of one side may say the same. Irregular forms are listed.
var axes = [...]string{
	"start begin began begun launch boot initiate|stop end finish halt terminate quit exit shutdown complete conclude abort cancel crash fail",
	"succeed success succes successful successfully pass ok okay|fail failure failed error errored crash abort cancel unsuccessful refuse panic broken reject",
	"complete completion finish done|fail failure error abort cancel interrupt incomplete pending crash drop skip",
	"create creation add addition insert|delete deletion remove removal destroy erase purge drop prune",
	"update upgrade modify|delete remove create",
	"upgrade|downgrade",
	"enable enablement activate active|disable disablement deactivate inactive standby",
	"acquire acquisition obtain gain win won hold held get got|lose lost loss release relinquish forfeit surrender",
	"keep kept retain preserve|lose lost drop discard evict release remove forget forgot",
	"find found discover detect|lose lost missing vanish disappear",
	"present|absent missing gone",
	"connect connection connected reconnect|disconnect disconnection lose lost loss broken interrupt",
	"restore recover recovery repair heal resolve fix|interrupt crash break broke broken fail lose lost degrade corrupt",
	"up upward|down downward",
	"online|offline",
	"on|off",
	"in inbound|out outbound",
	"true|false",
	"yes|no not",
	"right correct|wrong incorrect left",
	"open reopen|close shut closed shutdown",
	"lock|unlock",
	"accept approve admit admission allow grant permit authorize authorise confirm|reject rejection deny denial denied refuse refusal decline forbid forbidden evict eviction revoke block disallow veto",
	"join enter entry arrive|leave left exit depart",
	"attach bind bound mount register subscribe couple|detach unbind unbound unmount deregister unsubscribe release decouple",
	"push upload export send sent write wrote written encrypt encode compress pack marshal serialize publish|pull download import receive read decrypt decode decompress unpack unmarshal deserialize consume",
	"increase grow grew grown raise rise rose risen expand gain increment inflate climb|decrease shrink shrank shrunk lower fall fell fallen drop reduce contract lose decrement deflate decline",
	"raise fire firing trigger|clear resolve suppress silence",
	"promote|demote",
	"include|exclude omit",
	"commit apply|revert rollback rolled undo abort",
	"suspend pause freeze froze frozen hold held stop|resume unsuspend unpause continue unfreeze thaw restart",
	"resume restart|end finish terminate quit",
	"live alive|dead die died kill",
	"show visible reveal|hide hidden hid",
	"above over exceed exceeded|below under within",
	"before early earlier|after late later",
	"more many most|less few fewer fewest least",
	"with|without",
	"first|last",
	"maximum max|minimum min",
	"high higher highest|low lower lowest",
	"fast faster quick|slow slower",
	"fresh new latest current synced|stale old outdated expired outofsync behind",
	"warm hot|cold cool",
	"empty drain|full fill",
	"idle free|busy occupied used",
	"primary leader master|secondary follower replica standby",
	"leader leading lead elected|follower following lost",
	"healthy health well stable|degraded sick faulty unstable",
	"ready|notready pending waiting",
	"schedule|deschedule preempt evict",
	"cordon|uncordon",
	"load|unload evict",
	"respect satisfy satisfied meet met honour honor|violate breach miss missed exceed",
	"match equal same|mismatch differ different diverge",
	"continue proceed retry|abort stop halt skip",
	"trust safe secure|insecure dangerous compromised",
	"back returned return|gone away",
	"forward|backward back",
	"inside|outside",
	"local|remote",
	"head|tail",
	"public|private",
	"single|multiple",
	"success|warning",
}

// negatives are words that deny what the rest of a text says. Those of failure
// do so too, but say nothing more where the text denies already: "error:
// failed to bind" is "failed to bind".
var (
	negatives = set("not no never cannot without none nothing neither nor nobody nowhere hardly unable cant dont doesnt didnt wont isnt wasnt arent werent couldnt shouldnt hasnt havent hadnt wouldnt mustnt")
	failures  = set("fail failure error unsuccessful unsuccessfully impossible")
	// outOf are words that "out of" denies.
	outOf = set("sync date order range service bounds bound reach step use")
)

// prefixes negate the word behind them.
var prefixes = [...]string{"un", "in", "im", "ir", "il", "dis", "de", "non", "mis", "not"}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// A side is one side of one axis.
type side struct {
	axis int
	side uint8 // 1 left, 2 right
}

// sides holds the sides that a base form is on.
var sides = func() map[string][]side {
	out := map[string][]side{}
	for i, axis := range axes {
		left, right, _ := strings.Cut(axis, "|")
		for n, words := range [...]string{left, right} {
			for w := range strings.FieldsSeq(words) {
				out[w] = append(out[w], side{i, uint8(n + 1)})
			}
		}
	}
	return out
}()
