package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"time"
)

// target is what a path names.
type target struct{ collection, namespace, name, subresource string }

func targetOf(path string) (target, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	var prefix string
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		prefix, parts = "api/v1", parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		prefix, parts = strings.Join(parts[:3], "/"), parts[3:]
	default:
		return target{}, false
	}
	at := target{}
	if parts[0] == "namespaces" && len(parts) >= 3 {
		at.namespace, parts = parts[1], parts[2:]
	}
	at.collection = prefix + "/" + parts[0]
	if len(parts) > 1 {
		at.name = parts[1]
	}
	if len(parts) > 2 {
		at.subresource = parts[2]
	}
	return at, true
}

// absent are kinds of CRDs that this cluster does not have.
var absent = map[string]bool{"podgroups": true, "jobsets": true, "provisioningrequests": true}

var verbs = map[string]string{
	http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete",
}

type api struct {
	*cluster
	latency time.Duration
}

func (a api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at, isKnown := targetOf(r.URL.Path)
	if !isKnown || absent[resource(at.collection)] {
		refuse(w, refused(http.StatusNotFound, "NotFound", "the server could not find the requested resource"))
		return
	}
	body, _ := io.ReadAll(r.Body)
	if a.latency > 0 {
		time.Sleep(a.latency)
	}
	switch query := r.URL.Query(); {
	case r.Method == http.MethodGet && at.name != "":
		a.get(w, at)
	case r.Method == http.MethodGet && query.Get("watch") != "":
		a.watch(w, r, at)
	case r.Method == http.MethodGet:
		a.list(w, r, at)
	default:
		a.Lock()
		given := a.write(r.Method, r.Header.Get("Content-Type"), at, body)
		verb := verbs[r.Method]
		if given.code >= 300 {
			verb = strconv.Itoa(given.code) + " " + verb
		}
		a.tally(verb, at, len(body), len(given.body))
		a.Unlock()
		if given.code >= 300 {
			refuse(w, given)
			return
		}
		send(w, given.code, given.body)
	}
}

func send(w http.ResponseWriter, code int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

func refuse(w http.ResponseWriter, given answer) {
	status, _ := json.Marshal(document{
		"kind": "Status", "apiVersion": "v1", "metadata": document{}, "status": "Failure",
		"reason": given.reason, "message": given.message, "code": given.code,
	})
	send(w, given.code, status)
}

func (c *cluster) get(w http.ResponseWriter, at target) {
	c.Lock()
	o := c.find(at)
	c.tally("get", at, 0, 0)
	c.Unlock()
	if o == nil {
		refuse(w, notFound)
		return
	}
	send(w, http.StatusOK, o.json())
}

// snapshot is the moment that the pages of a list show.
type snapshot struct {
	objects []*object
	version int64
}

func (c *cluster) list(w http.ResponseWriter, r *http.Request, at target) {
	query := r.URL.Query()
	id, from := "", 0
	var shown snapshot
	if token := query.Get("continue"); token != "" {
		first, rest, _ := strings.Cut(token, ":")
		id = first
		from, _ = strconv.Atoi(rest)
		c.Lock()
		shown = c.snapshots[id]
		c.Unlock()
	} else {
		shown = c.snapshot(at, selectionOf(query))
	}
	end := len(shown.objects)
	token := ""
	if limit, _ := strconv.Atoi(query.Get("limit")); limit > 0 && from+limit < end {
		end = from + limit
		if id == "" {
			id = c.keep(shown)
		}
		token = id + ":" + strconv.Itoa(end)
	}
	show := shownBy(r)
	var page bytes.Buffer
	fmt.Fprintf(&page, `{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"%d","continue":"%s"},"items":[`,
		shown.version, token)
	for index, o := range shown.objects[from:end] {
		if index > 0 {
			page.WriteByte(',')
		}
		page.Write(show(o))
	}
	page.WriteString("]}")
	c.Lock()
	if token == "" {
		delete(c.snapshots, id)
	}
	c.tally("list", at, 0, page.Len())
	c.Unlock()
	send(w, http.StatusOK, page.Bytes())
}

func (c *cluster) snapshot(at target, selected selection) snapshot {
	c.Lock()
	shown := snapshot{version: c.version}
	for _, o := range c.collection(at.collection).objects {
		if (at.namespace == "" || o.namespace == at.namespace) && selected.byLabels(o) && selected.byFields(o) {
			shown.objects = append(shown.objects, o)
		}
	}
	c.Unlock()
	sort.Slice(shown.objects, func(i, j int) bool {
		one, other := shown.objects[i], shown.objects[j]
		if one.namespace != other.namespace {
			return one.namespace < other.namespace
		}
		return one.name < other.name
	})
	return shown
}

func (c *cluster) keep(shown snapshot) string {
	c.Lock()
	defer c.Unlock()
	c.listed++
	id := strconv.Itoa(c.listed)
	c.snapshots[id] = shown
	return id
}
