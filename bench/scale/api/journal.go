package main

import "time"

// journal is the server's own record of what consolidation does: pods that were evicted and bound again, and how far each
// NodeClaim was.
type journal struct {
	entries []any
	known   map[string]claimState
}

// podEntry is an eviction, or the binding of a pod that was made for an evicted one.
type podEntry struct {
	At   int64  `json:"at"`
	Kind string `json:"kind"`
	Node string `json:"node"`
	Slot int    `json:"slot"`
	// Evictions of the slot by then.
	Evictions int `json:"evictions"`
}

// claimEntry is a change of a NodeClaim.
type claimEntry struct {
	At    int64  `json:"at"`
	Kind  string `json:"kind"`
	Claim string `json:"claim"`
	claimState
}

type claimState struct {
	Pool string `json:"pool"`
	Node string `json:"node"`
	// Price is in USD per hour, 0 before the launch.
	Price float64 `json:"price"`
	// Replaces are the names of the claims in whose place it comes, separated by commas.
	Replaces    string `json:"replaces"`
	Launched    bool   `json:"launched"`
	Initialized bool   `json:"initialized"`
	Marked      bool   `json:"marked"`
	Deleted     bool   `json:"deleted"`
	// Ending: its instance is being terminated.
	Ending bool `json:"ending"`
}

func (j *journal) evicted(r *podRecord) {
	j.entries = append(j.entries, podEntry{time.Now().UnixMilli(), "evicted", r.node, r.slot, r.evictions + 1})
}

func (j *journal) bound(r *podRecord) {
	j.entries = append(j.entries, podEntry{time.Now().UnixMilli(), "bound", r.node, r.slot, r.evictions})
}

func (j *journal) claim(content document) {
	meta := metadata(content)
	spec, _ := content["spec"].(document)
	status, _ := content["status"].(document)
	annotations, _ := meta["annotations"].(document)
	price, _ := status["hourlyPrice"].(float64)
	name := text(meta["name"])
	state := claimState{
		Pool: text(spec["nodePool"]), Node: text(status["nodeName"]), Price: price,
		Replaces: text(annotations["berth.sh/replaces"]), Launched: text(status["providerID"]) != "",
		Initialized: isTrue(status, "Initialized"), Marked: status["disruption"] != nil, Deleted: meta["deletionTimestamp"] != nil,
		Ending: isTrue(status, "InstanceTerminating"),
	}
	if j.known[name] == state {
		return
	}
	j.known[name] = state
	j.entries = append(j.entries, claimEntry{time.Now().UnixMilli(), "claim", name, state})
}

func (j *journal) claimGone(name string) {
	state := j.known[name]
	delete(j.known, name)
	j.entries = append(j.entries, claimEntry{time.Now().UnixMilli(), "gone", name, state})
}

func isTrue(status document, kind string) bool {
	conditions, _ := status["conditions"].([]any)
	for _, each := range conditions {
		if condition, _ := each.(document); condition["type"] == kind {
			return condition["status"] == "True"
		}
	}
	return false
}
