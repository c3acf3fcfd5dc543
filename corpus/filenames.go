package corpus

// The names of the files and directories of a corpus, format version 1.
const (
	corpusFile = "corpus.json" // at the top: format version and creator
	runsDir    = "runs"        // runs/<build>/<scenario>/<n>
	runFile    = "run.json"    // in each run's directory
	logsDir    = "logs"        // in each run's directory

	logSuffix    = ".log.zst"    // records of one line, each with a time prefix
	ndjsonSuffix = ".ndjson.zst" // records with metadata or newlines

	// stagingPrefix begins the name of the directory, beside runsDir, that a
	// writer fills before it moves the runs into place.
	stagingPrefix = ".unfinished-"
	lockFile      = "lock"   // in the staging directory, held while it is written
	commitFile    = "commit" // there once all runs are whole and are moved into place

	// spoolPrefix begins the name of the directory, beside runsDir, that a
	// capture fills before it becomes a run.
	spoolPrefix = ".capture-"
)

// Names of the files of a run that are not logs. All but the last three are
// compressed as logs are.
const (
	EventsFile   = "events.ndjson.zst"
	ObjectsDir   = "objects" // objects/<moment>.ndjson.zst
	MetricsFile  = "metrics.om.zst"
	ProbesFile   = "probes.ndjson"
	ProgressFile = "progress.ndjson"
	ActionsFile  = "actions.ndjson"
)
