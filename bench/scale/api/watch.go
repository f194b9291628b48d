package main

import (
	"bytes"
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"time"
)

const (
	bookmarkEvery = 30 * time.Second
	// eventsAtOnce go into one write.
	eventsAtOnce = 2000
	// initialBytes go into one write.
	initialBytes = 1 << 20
	// longestWatch holds where the client names no time.
	longestWatch = 600
)

// watch sends every event after the resourceVersion until the time is over, the client leaves, or the events that it
// needs are forgotten. With sendInitialEvents, what is there comes first, and a bookmark closes it (KEP 3157).
func (c *cluster) watch(w http.ResponseWriter, r *http.Request, at target) {
	query := r.URL.Query()
	from, _ := strconv.ParseInt(query.Get("resourceVersion"), 10, 64)
	seconds, _ := strconv.Atoi(query.Get("timeoutSeconds"))
	if seconds == 0 {
		seconds = longestWatch
	}
	w.Header().Set("Content-Type", "application/json")
	flusher := w.(http.Flusher)
	show := shownBy(r)
	if query.Get("sendInitialEvents") == "true" {
		there := c.snapshot(at, selectionOf(query))
		from = there.version
		c.sendInitial(w, at, there, show)
	}
	c.Lock()
	counted := c.tally("watch", at, 0, 0)
	in := c.collection(at.collection)
	next := in.dropped + sort.Search(len(in.events), func(i int) bool { return in.events[i].version > from })
	c.Unlock()
	flusher.Flush()
	end := time.After(time.Duration(seconds) * time.Second)
	bookmarks := time.NewTicker(bookmarkEvery)
	defer bookmarks.Stop()
	for {
		c.Lock()
		if next < in.dropped {
			c.Unlock()
			return
		}
		events := in.events[next-in.dropped:]
		events = append([]event(nil), events[:min(len(events), eventsAtOnce)]...)
		next += len(events)
		changed, version := in.changed, c.version
		c.Unlock()
		if len(events) > 0 {
			lines := linesOf(events, at, selectionOf(query), show)
			c.Lock()
			counted.BytesOut += int64(len(lines))
			c.Unlock()
			if _, err := w.Write(lines); err != nil {
				return
			}
			flusher.Flush()
			continue
		}
		select {
		case <-r.Context().Done():
			return
		case <-end:
			return
		case <-changed:
		case <-bookmarks.C:
			fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":"Bookmark","apiVersion":"v1","metadata":{"resourceVersion":"%d"}}}`+"\n", version)
			flusher.Flush()
		}
	}
}

// sendInitial sends what is there in writes of a bounded size.
func (c *cluster) sendInitial(w http.ResponseWriter, at target, there snapshot, show form) {
	var lines bytes.Buffer
	sent := 0
	flush := func() {
		sent += lines.Len()
		_, _ = w.Write(lines.Bytes())
		lines.Reset()
	}
	for _, o := range there.objects {
		writeLine(&lines, "ADDED", show(o))
		if lines.Len() > initialBytes {
			flush()
		}
	}
	fmt.Fprintf(&lines, `{"type":"BOOKMARK","object":{"kind":"Bookmark","apiVersion":"v1","metadata":{"resourceVersion":"%d",`+
		`"annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", there.version)
	flush()
	c.Lock()
	c.tally("watch-list", at, 0, sent)
	c.Unlock()
}

// linesOf is what a watch tells of events: an object that ceases to be selected is deleted for it. Objects that are not
// selected any more are told as deleted whether they were selected before or not.
func linesOf(events []event, at target, selected selection, show form) []byte {
	var lines bytes.Buffer
	for _, each := range events {
		if at.namespace != "" && each.namespace != at.namespace || !selected.byLabels(each.object) {
			continue
		}
		kind := each.kind
		if !selected.byFields(each.object) {
			kind = "DELETED"
		}
		writeLine(&lines, kind, show(each.object))
	}
	return lines.Bytes()
}

func writeLine(lines *bytes.Buffer, kind string, object []byte) {
	lines.WriteString(`{"type":"`)
	lines.WriteString(kind)
	lines.WriteString(`","object":`)
	lines.Write(object)
	lines.WriteString("}\n")
}
