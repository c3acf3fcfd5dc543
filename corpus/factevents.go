package corpus

import (
	"cmp"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
)

// An eventID says which events are one: those with one UID in one cluster, or
// of one name where there are no UIDs.
type eventID struct{ cluster, uid, namespace, name string }

// An eventParts is an event as read, in either API.
type eventParts struct {
	id            eventID
	created       int64
	first, last   int64 // firstTimestamp and lastTimestamp, also deprecated…
	at            int64 // eventTime
	seriesLast    int64
	count, series int64
	source        string // source.component, also deprecatedSource
	reporting     string
}

// event takes an Event of core/v1 or events.k8s.io/v1. Of one that was seen
// before, the later state stays.
func (l *factLoader) event(root gjson.Result, at snapshot) {
	p := eventParts{id: eventID{cluster: at.cluster}}
	e := facts.Event{Cluster: at.cluster, Raw: root.Raw}
	root.ForEach(func(key, v gjson.Result) bool {
		p.field(&e, key.Str, v)
		return true
	})
	if p.id.uid != "" {
		p.id.namespace, p.id.name = "", ""
	}
	e.Component = cmp.Or(p.source, p.reporting)
	e.First = cmp.Or(p.first, p.at, p.created, p.last, p.seriesLast)
	e.Last = max(e.First, p.last, p.seriesLast, p.at)
	e.Count = max(p.count, p.series, 1)
	if e.First == 0 || e.Reason == "" && e.Message == "" {
		l.note("events without a time, or without reason and message")
		return
	}
	if p.id.uid == "" && p.id.name == "" {
		l.keep(len(e.Raw))
		l.facts.Events = append(l.facts.Events, e)
		return
	}
	i, known := l.events[p.id]
	if !known {
		l.keep(len(e.Raw))
		l.events[p.id] = len(l.facts.Events)
		l.facts.Events = append(l.facts.Events, e)
		return
	}
	old := &l.facts.Events[i]
	first := min(old.First, e.First)
	if cmp.Or(cmp.Compare(e.Count, old.Count), cmp.Compare(e.Last, old.Last)) > 0 {
		l.bytes += len(e.Raw) - len(old.Raw)
		*old = e
	}
	old.First = first
}

// field takes one top-level key of an event.
func (p *eventParts) field(e *facts.Event, key string, v gjson.Result) {
	switch key {
	case "metadata":
		r := objectRef(v) // has the same keys
		p.id.uid, p.id.namespace, p.id.name = r.UID, r.Namespace, r.Name
		p.created = timeIn(v.Get("creationTimestamp"))
	case "type":
		e.Type = v.Str
	case "reason":
		e.Reason = v.Str
	case "message", "note":
		e.Message = cmp.Or(v.Str, e.Message)
	case "action":
		e.Action = v.Str
	case "involvedObject", "regarding":
		if r := objectRef(v); r != (facts.Ref{}) {
			e.Object = r
		}
	case "eventTime":
		p.at = timeIn(v)
	case "firstTimestamp", "deprecatedFirstTimestamp":
		p.first = cmp.Or(timeIn(v), p.first)
	case "lastTimestamp", "deprecatedLastTimestamp":
		p.last = cmp.Or(timeIn(v), p.last)
	case "count", "deprecatedCount":
		p.count = max(v.Int(), p.count)
	case "series":
		p.series, p.seriesLast = v.Get("count").Int(), timeIn(v.Get("lastObservedTime"))
	case "source", "deprecatedSource":
		p.source = cmp.Or(v.Get("component").Str, p.source)
	case "reportingComponent", "reportingController":
		p.reporting = cmp.Or(v.Str, p.reporting)
	}
}
