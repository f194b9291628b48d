// Runs the scheduler of Karpenter, linked as a library, once on a workload file and prints what it came to as JSON.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/samber/lo"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	fakeclient "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/logging"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	sched "sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/test"
)

type answer struct {
	Scheduled int     `json:"scheduled"`
	Setup     float64 `json:"setup"`
	Solve     float64 `json:"solve"`
	// Of all processors, in Solve.
	CPU     float64 `json:"cpu"`
	Stopped bool    `json:"stopped"`
	Claims  int     `json:"claims"`
	Hourly  float64 `json:"hourly"`
	RSSMiB  int64   `json:"rssMiB"`
}

// cheapest is the price of the cheapest offering that the claim may still become.
func cheapest(claim *scheduling.NodeClaim) float64 {
	best := math.MaxFloat64
	for _, it := range claim.InstanceTypeOptions {
		for _, o := range it.Offerings {
			if o.Available && o.Price < best && claim.Requirements.IsCompatible(o.Requirements, sched.AllowUndefinedWellKnownLabels) {
				best = o.Price
			}
		}
	}
	return best
}

// peakMiB is the resident memory of this process at its most.
func peakMiB() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib >> 10
		}
	}
	return 0
}

// processorSeconds is what this process has taken of all processors so far.
func processorSeconds() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func nodeName(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} }

func solve(ctx context.Context, w workload, workers int, most time.Duration) answer {
	types := lo.Map(w.InstanceTypes, func(in typeIn, _ int) *cloudprovider.InstanceType { return instanceType(in) })
	byName := lo.SliceToMap(types, func(it *cloudprovider.InstanceType) (string, *cloudprovider.InstanceType) { return it.Name, it })
	pools := lo.Map(w.NodePools, func(in poolIn, _ int) *v1.NodePool { return nodePool(in) })
	sort.SliceStable(pools, func(a, b int) bool { return *pools[a].Spec.Weight > *pools[b].Spec.Weight })
	typesOf := lo.SliceToMap(pools, func(pool *v1.NodePool) (string, []*cloudprovider.InstanceType) { return pool.Name, types })
	pending := lo.Map(w.Pods, func(in podIn, _ int) *corev1.Pod { return pod(in) })
	agents := lo.Map(w.Daemonsets, func(in podIn, _ int) *corev1.Pod { return pod(in) })
	objects := fakeclient.NewClientBuilder().WithScheme(scheme.Scheme).WithIndex(&corev1.Pod{}, "spec.nodeName", nodeName).Build()
	provider := fake.NewCloudProvider()
	provider.InstanceTypes = types
	clk := &clock.RealClock{}
	cluster := state.NewCluster(clk, objects, provider)
	for _, in := range w.Nodes {
		addNode(ctx, cluster, in, byName[in.InstanceType])
	}
	runtime.GC()
	debug.FreeOSMemory()

	settings := []scheduling.Options{scheduling.NumConcurrentReconciles(workers)}
	start := time.Now()
	nodes := cluster.DeepCopyNodes()
	topology := lo.Must(scheduling.NewTopology(ctx, objects, cluster, nodes, pools, typesOf, pending, settings...))
	scheduler := scheduling.NewScheduler(ctx, objects, pools, cluster, nodes, topology, typesOf, agents, events.NewRecorder(&record.FakeRecorder{}), clk, nil, nil, settings...)
	setup := time.Since(start)

	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	before := processorSeconds()
	start = time.Now()
	// Stopped, it answers with what it has, and with the reason as an error.
	results, _ := scheduler.Solve(limited, pending)
	took := time.Since(start)
	used := processorSeconds() - before

	result := answer{Setup: setup.Seconds(), Solve: took.Seconds(), CPU: used, Stopped: limited.Err() != nil, Claims: len(results.NewNodeClaims), RSSMiB: peakMiB()}
	for _, claim := range results.NewNodeClaims {
		result.Hourly += cheapest(claim)
		result.Scheduled += len(claim.Pods)
	}
	for _, node := range results.ExistingNodes {
		result.Scheduled += len(node.Pods)
	}
	return result
}

func main() {
	file := flag.String("f", "", "workload file")
	workers := flag.Int("c", 1, "workers of the scheduler (NumConcurrentReconciles)")
	most := flag.Duration("timeout", 2*time.Minute, "when to stop it")
	flag.Parse()
	log.SetLogger(logging.NopLogger)
	var w workload
	lo.Must0(json.Unmarshal(lo.Must(os.ReadFile(*file)), &w))
	ctx := options.ToContext(injection.WithControllerName(context.Background(), "provisioner"), test.Options())
	fmt.Println(string(lo.Must(json.Marshal(solve(ctx, w, *workers, *most)))))
}
