package main

import "time"

// This file stands for the ReplicaSet controller, and for kube-scheduler's first attempt at the pods that it makes.

// attemptMillis pass until a pod that has no node yet, though room is held for its owner, is tried again.
const attemptMillis = 1000

// evict ends a pod at once; its ReplicaSet makes another.
func (l *podLife) evict(o *object) {
	old := l.records[o.name]
	l.remove(pods, o)
	if old == nil {
		return
	}
	l.journal.evicted(old)
	fresh := l.draft(old.owner, old.shape, created)
	fresh.slot, fresh.evictions = old.slot, old.evictions+1
	l.add(fresh)
	time.AfterFunc(bindingMillis*time.Millisecond, func() {
		l.Lock()
		defer l.Unlock()
		l.attempt(fresh)
	})
}

// attempt is what becomes of a pod without a node: where room is held for its owner Berth's extender would let it pass, and it is
// bound as soon as Berth has given it a part of that; otherwise no node is left for it.
func (l *podLife) attempt(r *podRecord) {
	if r.node != "" || l.records[r.name] != r {
		return
	}
	if l.hasRoom(r) {
		time.AfterFunc(attemptMillis*time.Millisecond, func() {
			l.Lock()
			defer l.Unlock()
			l.attempt(r)
		})
		return
	}
	r.state = unschedulable
	l.putPod(*r)
}

func (l *podLife) hasRoom(r *podRecord) bool {
	for _, rooms := range l.rooms {
		for _, each := range rooms {
			if each.owner == r.owner || each.uid == r.uid {
				return true
			}
		}
	}
	return false
}
