package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// document is an object as JSON has it.
type document = map[string]any

// object is one version of an object. Its JSON is kept, or, for a pod, made from its record whenever it is sent: 150,000
// pods would take 700 MB otherwise.
type object struct {
	namespace, name, uid string
	version              int64
	labels               map[string]any
	kept                 []byte
	pod                  *podRecord
}

func (o *object) json() []byte {
	if o.pod != nil {
		return o.pod.render(o.version)
	}
	return o.kept
}

func (o *object) document() document {
	var found document
	_ = json.Unmarshal(o.json(), &found)
	return found
}

type event struct {
	kind string
	*object
}

// collection is what one path of the API lists, with its changes for watches.
type collection struct {
	objects map[string]*object
	events  []event
	// dropped is how many events were forgotten before events[0].
	dropped int
	// changed is closed and replaced at each event.
	changed chan struct{}
}

// mostEvents is how many events a collection remembers for watches that fall behind.
const mostEvents = 400_000

func (c *collection) emit(kind string, o *object) {
	if len(c.events) >= mostEvents {
		forgotten := mostEvents / 4
		c.events = append([]event(nil), c.events[forgotten:]...)
		c.dropped += forgotten
	}
	c.events = append(c.events, event{kind, o})
	close(c.changed)
	c.changed = make(chan struct{})
}

// cluster is all that the server knows. Methods in lower case expect the lock unless they say otherwise.
type cluster struct {
	sync.Mutex
	version     int64
	created     int64
	collections map[string]*collection
	snapshots   map[string]snapshot
	listed      int
	audit       map[string]*count
	marks       map[string]time.Time
	journal     journal
	life        podLife
}

func newCluster() *cluster {
	c := &cluster{
		version:     1000,
		collections: map[string]*collection{},
		snapshots:   map[string]snapshot{},
		audit:       map[string]*count{},
		marks:       map[string]time.Time{},
		journal:     journal{known: map[string]claimState{}},
	}
	c.life = newPodLife(c)
	return c
}

func (c *cluster) collection(name string) *collection {
	found := c.collections[name]
	if found == nil {
		found = &collection{objects: map[string]*object{}, changed: make(chan struct{})}
		c.collections[name] = found
	}
	return found
}

func (c *cluster) find(at target) *object {
	return c.collection(at.collection).objects[key(at.namespace, at.name)]
}

func key(namespace, name string) string { return namespace + "/" + name }

func (c *cluster) newUID() string {
	c.created++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", c.created)
}

// put stores the next version of an object, which is complete but for what the server gives: resourceVersion, uid and
// creationTimestamp.
func (c *cluster) put(name string, content document) *object {
	meta := metadata(content)
	c.version++
	meta["resourceVersion"] = strconv.FormatInt(c.version, 10)
	if meta["uid"] == nil {
		meta["uid"] = c.newUID()
	}
	if meta["creationTimestamp"] == nil {
		meta["creationTimestamp"] = now()
	}
	kept, _ := json.Marshal(content)
	labels, _ := meta["labels"].(document)
	stored := &object{
		namespace: text(meta["namespace"]), name: text(meta["name"]), uid: text(meta["uid"]),
		version: c.version, labels: labels, kept: kept,
	}
	c.store(name, stored)
	c.life.after(name, content)
	if name == claims {
		c.journal.claim(content)
	}
	return stored
}

// putPod stores the next version of a pod that its record describes.
func (c *cluster) putPod(record podRecord) {
	c.version++
	c.store(pods, &object{namespace: "default", name: record.name, uid: record.uid, version: c.version, pod: &record})
}

func (c *cluster) store(name string, stored *object) {
	in := c.collection(name)
	at := key(stored.namespace, stored.name)
	kind := "ADDED"
	if in.objects[at] != nil {
		kind = "MODIFIED"
	}
	in.objects[at] = stored
	in.emit(kind, stored)
}

func (c *cluster) remove(name string, o *object) {
	in := c.collection(name)
	delete(in.objects, key(o.namespace, o.name))
	c.version++
	last := *o
	last.version = c.version
	if o.pod == nil {
		content := o.document()
		metadata(content)["resourceVersion"] = strconv.FormatInt(c.version, 10)
		last.kept, _ = json.Marshal(content)
	}
	in.emit("DELETED", &last)
	c.life.gone(name, &last)
	if name == claims {
		c.journal.claimGone(o.name)
	}
}

func metadata(content document) document {
	meta, _ := content["metadata"].(document)
	if meta == nil {
		meta = document{}
		content["metadata"] = meta
	}
	return meta
}

func text(value any) string {
	found, _ := value.(string)
	return found
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }
