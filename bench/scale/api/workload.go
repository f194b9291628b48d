package main

import (
	"fmt"
	"math/rand"
	"sort"
	"time"
)

// nodeLoad is how many pods a node gets, and how much of it they take together.
type nodeLoad struct {
	Node string `json:"node"`
	// Owner is the ReplicaSet of all of them, which are equal then; without it they are of several shapes.
	Owner     string `json:"owner"`
	Pods      int    `json:"pods"`
	MilliCPU  int    `json:"milliCPU"`
	Mebibytes int    `json:"mebibytes"`
}

// seed makes pods that have run for a day: those of one owner, or on each node some of twenty-one shapes around the mean, each
// shape a Deployment over all nodes.
func (l *podLife) seed(loads []nodeLoad) {
	replicas := map[string]int{}
	shapes := map[string]shape{}
	dayAgo := time.Now().Add(-24 * time.Hour).UTC().Format(time.RFC3339)
	for index, load := range loads {
		for number := range load.Pods {
			asked := shape{
				milliCPU:  max(10, spread(load.MilliCPU/load.Pods, number)/10*10),
				mebibytes: max(16, spread(load.Mebibytes/load.Pods, number*7+index)/16*16),
			}
			owner := fmt.Sprintf("web-%d-%d", asked.milliCPU, asked.mebibytes)
			if load.Owner != "" {
				owner, asked = load.Owner, shape{milliCPU: load.MilliCPU / load.Pods, mebibytes: load.Mebibytes / load.Pods}
			}
			replicas[owner]++
			shapes[owner] = asked
			r := l.draft(owner, asked, running)
			r.node, r.createdAt = load.Node, dayAgo
			l.add(r)
		}
	}
	for owner, count := range replicas {
		l.putReplicaSet(owner, count, shapes[owner])
	}
}

// spread varies a mean from one half to one and a half of it.
func spread(mean, number int) int { return mean * (50 + 5*(number%21)) / 100 }

func (l *podLife) newPod(owner string, asked shape, state podState) *podRecord {
	r := l.draft(owner, asked, state)
	l.add(r)
	return r
}

// draft is a pod that is not stored yet.
func (l *podLife) draft(owner string, asked shape, state podState) *podRecord {
	l.made++
	return &podRecord{
		name: fmt.Sprintf("%s-%06d", owner, l.made), uid: l.newUID(), owner: owner,
		shape: asked, state: state, createdAt: now(), slot: l.made,
	}
}

func (l *podLife) putReplicaSet(name string, replicas int, asked shape) {
	labels := document{"app": name, "pod-template-hash": "5d8f7c9b6d"}
	requests := document{"cpu": fmt.Sprintf("%dm", asked.milliCPU), "memory": fmt.Sprintf("%dMi", asked.mebibytes)}
	containers := []any{document{"name": "main", "image": "registry.example.com/team/app:v1.2.3", "resources": document{"requests": requests}}}
	l.put(replicaSets, document{
		"apiVersion": "apps/v1", "kind": "ReplicaSet",
		"metadata": document{
			"name": name, "namespace": "default", "uid": "uid-" + name, "labels": document{"app": name},
			"ownerReferences": []any{document{
				"apiVersion": "apps/v1", "kind": "Deployment", "name": name, "uid": "deployment-" + name, "controller": true,
			}},
		},
		"spec": document{
			"replicas": replicas, "selector": document{"matchLabels": labels},
			"template": document{"metadata": document{"labels": labels}, "spec": document{"containers": containers}},
		},
		"status": document{"replicas": replicas},
	})
}

// burst makes pods of so many shapes that kube-scheduler finds no place for, all at once.
func (l *podLife) burst(count, kinds int) {
	draw := rand.New(rand.NewSource(7))
	l.Lock()
	first := l.made
	shapes := make([]shape, min(kinds, count))
	owner := func(kind int) string { return fmt.Sprintf("burst%d-%d", first, kind) }
	for kind := range shapes {
		shapes[kind] = shape{milliCPU: 100 * (1 + draw.Intn(40)), mebibytes: 256 * (1 + draw.Intn(64))}
		replicas := count / len(shapes)
		if kind < count%len(shapes) {
			replicas++
		}
		l.putReplicaSet(owner(kind), replicas, shapes[kind])
	}
	l.marks["burst.first"] = time.Now()
	l.Unlock()
	for number := range count {
		kind := number % len(shapes)
		l.Lock()
		l.newPod(owner(kind), shapes[kind], unschedulable)
		l.Unlock()
	}
	l.Lock()
	l.marks["burst.last"] = time.Now()
	l.Unlock()
}

// churn deletes a running pod and makes one in its place, so often a second: created, bound and running are an event each.
func (l *podLife) churn(perSecond int, length time.Duration) {
	draw := rand.New(rand.NewSource(11))
	l.Lock()
	names := make([]string, 0, len(l.byNode))
	for name := range l.byNode {
		names = append(names, name)
	}
	l.Unlock()
	sort.Strings(names)
	start := time.Now()
	for done := 0; time.Since(start) < length && len(names) > 0; done++ {
		l.Lock()
		l.replaceOne(names[draw.Intn(len(names))])
		l.tallyAs("churn pods", 0, 0)
		l.Unlock()
		time.Sleep(time.Until(start.Add(time.Duration(done+1) * time.Second / time.Duration(perSecond))))
	}
}

func (l *podLife) replaceOne(node string) {
	for _, old := range l.byNode[node] {
		l.drop(old)
		fresh := l.newPod(old.owner, old.shape, created)
		fresh.node = node
		l.place(fresh)
		l.putPod(*fresh)
		fresh.state = running
		l.putPod(*fresh)
		return
	}
}
