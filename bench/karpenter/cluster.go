// Nodes that exist, and the pods on them, in the state that Karpenter keeps of a cluster.
package main

import (
	"context"

	"github.com/samber/lo"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/test"
)

// addNode makes a node that has been launched, registered and initialized, with its NodeClaim and its pods.
func addNode(ctx context.Context, cluster *state.Cluster, in nodeIn, it *cloudprovider.InstanceType) {
	labels := map[string]string{
		v1.NodePoolLabelKey: in.NodePool, v1.CapacityTypeLabelKey: in.CapacityType, v1.NodeRegisteredLabelKey: "true", v1.NodeInitializedLabelKey: "true",
		corev1.LabelInstanceTypeStable: it.Name, corev1.LabelTopologyZone: in.Zone, corev1.LabelHostname: in.Name, corev1.LabelOSStable: "linux",
	}
	for key, requirement := range it.Requirements {
		if _, ok := labels[key]; !ok && requirement.Operator() == corev1.NodeSelectorOpIn && requirement.Len() == 1 {
			labels[key] = requirement.Any()
		}
	}
	id := "fake://" + in.Name
	claim := test.NodeClaim(v1.NodeClaim{ObjectMeta: metav1.ObjectMeta{Name: in.Name, Labels: labels},
		Status: v1.NodeClaimStatus{ProviderID: id, NodeName: in.Name, Capacity: it.Capacity, Allocatable: it.Allocatable()}})
	for _, condition := range []string{v1.ConditionTypeLaunched, v1.ConditionTypeRegistered, v1.ConditionTypeInitialized} {
		claim.StatusConditions().SetTrue(condition)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: in.Name, Labels: labels}, Spec: corev1.NodeSpec{ProviderID: id},
		Status: corev1.NodeStatus{Capacity: it.Capacity, Allocatable: it.Allocatable(),
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
	cluster.UpdateNodeClaim(claim)
	lo.Must0(cluster.UpdateNode(ctx, node))
	for _, each := range in.Pods {
		running := pod(each)
		running.Spec.NodeName = in.Name
		running.Status = corev1.PodStatus{Phase: corev1.PodRunning}
		lo.Must0(cluster.UpdatePod(ctx, running))
	}
}
