// The workload file: what it holds, and Kubernetes' and Karpenter's objects made of it.
package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/samber/lo"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	sched "sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/test"
)

const (
	gpuName  = "karpenter.k8s.aws/instance-gpu-name"
	gpuCount = "karpenter.k8s.aws/instance-gpu-count"
	gpus     = "nvidia.com/gpu"
	mebibyte = 1 << 20
)

type requirementIn struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

type offeringIn struct {
	Zone         string  `json:"zone"`
	CapacityType string  `json:"capacityType"`
	Price        float64 `json:"price"`
}

type typeIn struct {
	Name        string  `json:"name"`
	CPU         int64   `json:"cpu"`
	MemoryMiB   float64 `json:"memoryMiB"`
	Pods        int64   `json:"pods"`
	GPU         int64   `json:"gpu"`
	Arch        string  `json:"arch"`
	Allocatable struct {
		CPUMilli  int64   `json:"cpuMilli"`
		MemoryMiB float64 `json:"memoryMiB"`
	} `json:"allocatable"`
	Offerings []offeringIn      `json:"offerings"`
	Labels    map[string]string `json:"labels"`
}

type poolIn struct {
	Name         string            `json:"name"`
	Weight       int32             `json:"weight"`
	Requirements []requirementIn   `json:"requirements"`
	Taints       []corev1.Taint    `json:"taints"`
	Limits       map[string]string `json:"limits"`
}

type termIn struct {
	MaxSkew     int32             `json:"maxSkew"`
	TopologyKey string            `json:"topologyKey"`
	Labels      map[string]string `json:"labels"`
}

type podIn struct {
	Name            string              `json:"name"`
	Labels          map[string]string   `json:"labels"`
	Requests        map[string]string   `json:"requests"`
	NodeSelector    map[string]string   `json:"nodeSelector"`
	NodeAffinity    [][]requirementIn   `json:"nodeAffinity"`
	TopologySpread  []termIn            `json:"topologySpread"`
	PodAffinity     []termIn            `json:"podAffinity"`
	PodAntiAffinity []termIn            `json:"podAntiAffinity"`
	Tolerations     []corev1.Toleration `json:"tolerations"`
	TolerateAll     bool                `json:"tolerateAll"`
}

type nodeIn struct {
	Name         string  `json:"name"`
	InstanceType string  `json:"instanceType"`
	Zone         string  `json:"zone"`
	CapacityType string  `json:"capacityType"`
	NodePool     string  `json:"nodePool"`
	Pods         []podIn `json:"pods"`
}

type workload struct {
	Name          string   `json:"name"`
	InstanceTypes []typeIn `json:"instanceTypes"`
	NodePools     []poolIn `json:"nodePools"`
	Daemonsets    []podIn  `json:"daemonsets"`
	Pods          []podIn  `json:"pods"`
	Nodes         []nodeIn `json:"nodes"`
}

func bytes(mib float64) int64 { return int64(math.Round(mib * mebibyte)) }

// instanceType also declares the type's labels well known, as the AWS provider does.
func instanceType(in typeIn) *cloudprovider.InstanceType {
	distinct := func(of func(offeringIn) string) []string {
		return lo.Uniq(lo.Map(in.Offerings, func(o offeringIn, _ int) string { return of(o) }))
	}
	reqs := sched.NewRequirements(
		sched.NewRequirement(corev1.LabelInstanceTypeStable, corev1.NodeSelectorOpIn, in.Name),
		sched.NewRequirement(corev1.LabelArchStable, corev1.NodeSelectorOpIn, in.Arch),
		sched.NewRequirement(corev1.LabelOSStable, corev1.NodeSelectorOpIn, "linux"),
		sched.NewRequirement(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, distinct(func(o offeringIn) string { return o.Zone })...),
		sched.NewRequirement(v1.CapacityTypeLabelKey, corev1.NodeSelectorOpIn, distinct(func(o offeringIn) string { return o.CapacityType })...),
	)
	for key, value := range in.Labels {
		v1.WellKnownLabels.Insert(key)
		reqs.Add(sched.NewRequirement(key, corev1.NodeSelectorOpIn, value))
	}
	for _, key := range []string{gpuName, gpuCount} {
		v1.WellKnownLabels.Insert(key)
		if _, ok := in.Labels[key]; !ok {
			reqs.Add(sched.NewRequirement(key, corev1.NodeSelectorOpDoesNotExist))
		}
	}
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:              *resource.NewMilliQuantity(in.CPU*1000, resource.DecimalSI),
		corev1.ResourceMemory:           *resource.NewQuantity(bytes(in.MemoryMiB), resource.BinarySI),
		corev1.ResourcePods:             *resource.NewQuantity(in.Pods, resource.DecimalSI),
		corev1.ResourceEphemeralStorage: resource.MustParse("20Gi"),
	}
	if in.GPU > 0 && !strings.HasPrefix(in.Labels[gpuName], "radeon") {
		capacity[gpus] = *resource.NewQuantity(in.GPU, resource.DecimalSI)
	}
	result := &cloudprovider.InstanceType{Name: in.Name, Requirements: reqs, Capacity: capacity,
		Overhead: &cloudprovider.InstanceTypeOverhead{KubeReserved: corev1.ResourceList{
			corev1.ResourceCPU:    *resource.NewMilliQuantity(in.CPU*1000-in.Allocatable.CPUMilli, resource.DecimalSI),
			corev1.ResourceMemory: *resource.NewQuantity(bytes(in.MemoryMiB-in.Allocatable.MemoryMiB), resource.BinarySI),
		}}}
	for _, o := range in.Offerings {
		result.Offerings = append(result.Offerings, &cloudprovider.Offering{Available: true, Price: o.Price,
			Requirements: sched.NewLabelRequirements(map[string]string{v1.CapacityTypeLabelKey: o.CapacityType, corev1.LabelTopologyZone: o.Zone})})
	}
	return result
}

var pods int

func quantities(in map[string]string) corev1.ResourceList {
	result := corev1.ResourceList{}
	for name, text := range in {
		result[corev1.ResourceName(name)] = resource.MustParse(text)
	}
	return result
}

func selecting(labels map[string]string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: labels}
}

func podTerms(in []termIn) []corev1.PodAffinityTerm {
	return lo.Map(in, func(t termIn, _ int) corev1.PodAffinityTerm {
		return corev1.PodAffinityTerm{TopologyKey: t.TopologyKey, LabelSelector: selecting(t.Labels)}
	})
}

func nodeTerm(in []requirementIn, _ int) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchExpressions: lo.Map(in, func(r requirementIn, _ int) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: r.Key, Operator: corev1.NodeSelectorOperator(r.Operator), Values: r.Values}
	})}
}

func affinity(in podIn) *corev1.Affinity {
	result := &corev1.Affinity{}
	if len(in.NodeAffinity) > 0 {
		result.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: lo.Map(in.NodeAffinity, nodeTerm)}}
	}
	if len(in.PodAffinity) > 0 {
		result.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: podTerms(in.PodAffinity)}
	}
	if len(in.PodAntiAffinity) > 0 {
		result.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: podTerms(in.PodAntiAffinity)}
	}
	if *result == (corev1.Affinity{}) {
		return nil
	}
	return result
}

// pod gives every pod a UID of its own: Karpenter keeps what it knows of pods by it.
func pod(in podIn) *corev1.Pod {
	pods++
	tolerations := in.Tolerations
	if in.TolerateAll {
		tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: in.Name, Namespace: "default", Labels: in.Labels,
			UID: types.UID(fmt.Sprintf("%08d-0000-0000-0000-000000000000", pods))},
		Spec: corev1.PodSpec{
			NodeSelector: in.NodeSelector, Tolerations: tolerations, Affinity: affinity(in),
			Containers: []corev1.Container{{Name: "c", Image: "pause", Resources: corev1.ResourceRequirements{Requests: quantities(in.Requests)}}},
			TopologySpreadConstraints: lo.Map(in.TopologySpread, func(t termIn, _ int) corev1.TopologySpreadConstraint {
				return corev1.TopologySpreadConstraint{MaxSkew: t.MaxSkew, TopologyKey: t.TopologyKey,
					WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: selecting(t.Labels)}
			}),
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Reason: corev1.PodReasonUnschedulable, Status: corev1.ConditionFalse}}}}
}

// nodePool without limits gets some that are never reached: the library expects any.
func nodePool(in poolIn) *v1.NodePool {
	pool := v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: in.Name}}
	pool.Spec.Weight = lo.ToPtr(in.Weight)
	pool.Spec.Template.Spec.Taints = in.Taints
	pool.Spec.Limits = v1.Limits(quantities(in.Limits))
	if len(pool.Spec.Limits) == 0 {
		pool.Spec.Limits = v1.Limits{corev1.ResourceCPU: resource.MustParse("10000000"), corev1.ResourceMemory: resource.MustParse("10000000Gi")}
	}
	for _, r := range in.Requirements {
		pool.Spec.Template.Spec.Requirements = append(pool.Spec.Template.Spec.Requirements,
			v1.NodeSelectorRequirementWithMinValues{Key: r.Key, Operator: corev1.NodeSelectorOperator(r.Operator), Values: r.Values})
	}
	return test.NodePool(pool)
}
