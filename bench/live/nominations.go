package main

import (
	"k8s.io/client-go/util/flowcontrol"

	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
)

// Karpenter writes at most five "Nominated" events a second. Here it writes one for each pod, so that the bench knows where
// every pod was meant to go. No decision of Karpenter reads these events.
func init() {
	scheduling.PodNominationRateLimiter = flowcontrol.NewFakeAlwaysRateLimiter()
}
