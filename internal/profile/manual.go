package profile

// Manual says which recorded actions a person did on the way from a failure to
// the recovery. docs/acceptance.md explains the keys.
type Manual struct {
	// Actors stand for people, globs of any case. None: [DefaultActors].
	Actors []string `yaml:"actors"`
	// Except are actions that are none, such as a look: globs, beside
	// [DefaultLooks].
	Except []string `yaml:"except"`
	// Managers are the field managers through which people change objects,
	// globs. None: [DefaultManagers].
	Managers []string `yaml:"managers"`
}

// DefaultActors are the actors that stand for people.
func DefaultActors() []string {
	return []string{"operator", "operator:*", "human*", "person*", "user", "user:*", "admin", "administrator", "sre", "sre-*", "oncall*", "on-call*", "manual", "kubectl*", "kubernetes-admin", "*@*"}
}

// DefaultLooks are actions that change nothing.
func DefaultLooks() []string {
	return []string{"get", "list", "watch", "look*", "view*", "observe*", "describe*", "note*", "comment*", "acknowledge*", "ack", "dump-*"}
}

// DefaultManagers are the field managers through which people change objects.
func DefaultManagers() []string {
	return []string{"kubectl*", "oc", "k9s", "*lens", "headlamp*"}
}
