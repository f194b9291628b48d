package main

import "time"

const (
	nodes        = "api/v1/nodes"
	claims       = "apis/berth.sh/v1/nodeclaims"
	reservations = "apis/berth.sh/v1/reservations"
	replicaSets  = "apis/apps/v1/replicasets"
)

// unregistered is the taint of a new node that Berth has not registered yet.
const unregistered = "karpenter.sh/unregistered"

// bindingMillis pass from room on a usable node to the pods that are bound there.
const bindingMillis = 20

// podLife stands for kube-scheduler: pods with room held for them are bound where it is held, once the node is usable.
type podLife struct {
	*cluster
	records map[string]*podRecord
	byUID   map[string]*podRecord
	byNode  map[string]map[string]*podRecord
	usable  map[string]bool
	// rooms is what Reservations hold, by `Node/<name>` or `NodeClaim/<name>`.
	rooms map[string][]room
	// nodeOfClaim is known once a claim's node has joined; claimOfProvider leads to it.
	nodeOfClaim     map[string]string
	claimOfProvider map[string]string
	// launched are the claims that have an instance.
	launched map[string]bool
	made     int
	bound    int
}

// room is held for one pod, or for pods of an owner, of which Berth gives each its part when it has come.
type room struct {
	uid, owner string
	count      int
}

func newPodLife(c *cluster) podLife {
	return podLife{
		cluster:         c,
		records:         map[string]*podRecord{},
		byUID:           map[string]*podRecord{},
		byNode:          map[string]map[string]*podRecord{},
		usable:          map[string]bool{},
		rooms:           map[string][]room{},
		nodeOfClaim:     map[string]string{},
		claimOfProvider: map[string]string{},
		launched:        map[string]bool{},
	}
}

func (l *podLife) add(r *podRecord) {
	l.records[r.name] = r
	l.byUID[r.uid] = r
	if r.node != "" {
		l.place(r)
	}
	l.putPod(*r)
}

func (l *podLife) place(r *podRecord) {
	if l.byNode[r.node] == nil {
		l.byNode[r.node] = map[string]*podRecord{}
	}
	l.byNode[r.node][r.name] = r
}

// drop deletes a pod as one that has ended.
func (l *podLife) drop(r *podRecord) {
	if o := l.collection(pods).objects[key("default", r.name)]; o != nil {
		l.remove(pods, o)
	}
}

// after sees every object that was stored.
func (l *podLife) after(collection string, content document) {
	switch collection {
	case pods:
		l.nominated(content)
	case claims:
		l.claimed(content)
	case nodes:
		l.joined(content)
	case reservations:
		l.reserved(content)
	}
}

func (l *podLife) nominated(content document) {
	status, _ := content["status"].(document)
	if r := l.records[text(metadata(content)["name"])]; r != nil {
		r.nominated = text(status["nominatedNodeName"])
	}
}

func (l *podLife) claimed(content document) {
	status, _ := content["status"].(document)
	if provider := text(status["providerID"]); provider != "" {
		name := text(metadata(content)["name"])
		l.claimOfProvider[provider], l.launched[name] = name, true
	}
}

func (l *podLife) joined(content document) {
	name := text(metadata(content)["name"])
	spec, _ := content["spec"].(document)
	if l.usable[name] {
		return
	}
	taints, _ := spec["taints"].([]any)
	for _, taint := range taints {
		if found, _ := taint.(document); found["key"] == unregistered {
			return
		}
	}
	l.usable[name] = true
	l.bindLater("Node/" + name)
	if claim := l.claimOfProvider[text(spec["providerID"])]; claim != "" {
		l.nodeOfClaim[claim] = name
		l.bindLater("NodeClaim/" + claim)
	}
}

func (l *podLife) reserved(content document) {
	spec, _ := content["spec"].(document)
	at := roomTarget(spec)
	entries, _ := spec["entries"].([]any)
	held := make([]room, 0, len(entries))
	for _, each := range entries {
		entry, _ := each.(document)
		owner, _ := entry["owner"].(document)
		number, _ := entry["count"].(float64)
		held = append(held, room{uid: text(entry["podUID"]), owner: text(owner["name"]), count: int(number)})
	}
	l.rooms[at] = held
	l.bindLater(at)
}

func roomTarget(spec document) string {
	at, _ := spec["target"].(document)
	return text(at["kind"]) + "/" + text(at["name"])
}

// bindLater binds the pods of a target's rooms in a moment, if its node is usable then.
func (l *podLife) bindLater(at string) {
	if len(l.rooms[at]) == 0 {
		return
	}
	time.AfterFunc(bindingMillis*time.Millisecond, func() {
		l.Lock()
		defer l.Unlock()
		l.bind(at)
	})
}

func (l *podLife) bind(at string) {
	node := nodeOf(l, at)
	if !l.usable[node] {
		return
	}
	for _, held := range l.rooms[at] {
		if r := l.byUID[held.uid]; r != nil {
			l.bindTo(r, node)
		}
	}
}

func nodeOf(l *podLife, at string) string {
	const ofNode, ofClaim = "Node/", "NodeClaim/"
	if len(at) > len(ofClaim) && at[:len(ofClaim)] == ofClaim {
		return l.nodeOfClaim[at[len(ofClaim):]]
	}
	return at[len(ofNode):]
}

func (l *podLife) bindTo(r *podRecord, node string) {
	if r.node != "" {
		return
	}
	r.node, r.state = node, running
	l.place(r)
	l.putPod(*r)
	l.bound++
	if r.evictions > 0 {
		l.journal.bound(r)
	}
}

// gone sees every object that was removed.
func (l *podLife) gone(collection string, o *object) {
	switch collection {
	case pods:
		r := l.records[o.name]
		if r == nil {
			return
		}
		delete(l.records, r.name)
		delete(l.byUID, r.uid)
		delete(l.byNode[r.node], r.name)
	case reservations:
		spec, _ := o.document()["spec"].(document)
		delete(l.rooms, roomTarget(spec))
	case nodes:
		delete(l.usable, o.name)
	case claims:
		delete(l.launched, o.name)
	}
}

// unplaced is how many pods are neither bound nor have room held for them.
func (l *podLife) unplaced() int {
	held := map[string]bool{}
	byOwner := map[string]int{}
	for _, rooms := range l.rooms {
		for _, each := range rooms {
			if each.owner == "" {
				held[each.uid] = true
			} else {
				byOwner[each.owner] += each.count
			}
		}
	}
	waiting := map[string]int{}
	for _, r := range l.records {
		if r.node == "" && !held[r.uid] {
			waiting[r.owner]++
		}
	}
	left := 0
	for owner, count := range waiting {
		left += max(0, count-byOwner[owner])
	}
	return left
}
