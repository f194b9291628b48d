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
	// longestWatch holds where the client names no time.
	longestWatch = 600
)

// watch sends every event after the resourceVersion until the time is over, the client leaves, or the events that it
// needs are forgotten.
func (c *cluster) watch(w http.ResponseWriter, r *http.Request, at target) {
	query := r.URL.Query()
	from, _ := strconv.ParseInt(query.Get("resourceVersion"), 10, 64)
	seconds, _ := strconv.Atoi(query.Get("timeoutSeconds"))
	if seconds == 0 {
		seconds = longestWatch
	}
	w.Header().Set("Content-Type", "application/json")
	flusher := w.(http.Flusher)
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
			lines := linesOf(events, at, query.Get("labelSelector"))
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

func linesOf(events []event, at target, selector string) []byte {
	var lines bytes.Buffer
	for _, each := range events {
		if at.namespace != "" && each.namespace != at.namespace || !selects(selector, each.object) {
			continue
		}
		lines.WriteString(`{"type":"`)
		lines.WriteString(each.kind)
		lines.WriteString(`","object":`)
		lines.Write(each.json())
		lines.WriteString("}\n")
	}
	return lines.Bytes()
}
