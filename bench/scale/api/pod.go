package main

import "fmt"

const pods = "api/v1/pods"

// shape is what a pod asks for.
type shape struct{ milliCPU, mebibytes int }

// podState is how far kube-scheduler and kubelet have come with a pod.
type podState int

const (
	created podState = iota
	unschedulable
	running
)

// podRecord is all that tells pods apart; the rest of their JSON is the same, and as long as in a real cluster (4.5 kB).
type podRecord struct {
	name, uid, owner string
	shape            shape
	state            podState
	// node is where it is bound; nominated is what its status names before.
	node, nominated string
	createdAt       string
	// slot is the same for a pod and those that its ReplicaSet makes after its eviction; evictions is how many came before it.
	slot, evictions int
}

func (r *podRecord) render(version int64) []byte {
	node := ""
	if r.node != "" {
		node = `"nodeName":"` + r.node + `",`
	}
	return []byte(fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%[1]s","generateName":"%[2]s-","namespace":"default",`+
		`"uid":"%[3]s","resourceVersion":"%[4]d","creationTimestamp":"%[5]s","labels":{"app":"%[2]s","pod-template-hash":"5d8f7c9b6d"},`+
		`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"%[2]s","uid":"uid-%[2]s","controller":true,"blockOwnerDeletion":true}],`+
		managedFields+`},"spec":{`+volumes+`"containers":[{"name":"main","image":"registry.example.com/team/app:v1.2.3",`+
		`"resources":{"requests":{"cpu":"%[6]dm","memory":"%[7]dMi"}},`+container+`}],`+`%[8]s`+podDefaults+`},"status":%[9]s}`,
		r.name, r.owner, r.uid, version, r.createdAt, r.shape.milliCPU, r.shape.mebibytes, node, r.status()))
}

func (r *podRecord) status() string {
	nominated := ""
	if r.nominated != "" {
		nominated = `"nominatedNodeName":"` + r.nominated + `",`
	}
	switch r.state {
	case running:
		conditions := ""
		for _, kind := range []string{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"} {
			conditions += `{"type":"` + kind + `","status":"True","lastProbeTime":null,"lastTransitionTime":"` + r.createdAt + `"},`
		}
		return `{` + nominated + `"phase":"Running","conditions":[` + conditions[:len(conditions)-1] + `],"hostIP":"10.0.0.1","hostIPs":[{"ip":"10.0.0.1"}],` +
			`"podIP":"10.1.0.1","podIPs":[{"ip":"10.1.0.1"}],"startTime":"` + r.createdAt + `","containerStatuses":[{"name":"main",` +
			`"state":{"running":{"startedAt":"` + r.createdAt + `"}},"lastState":{},"ready":true,"restartCount":0,` +
			`"image":"registry.example.com/team/app:v1.2.3","imageID":"registry.example.com/team/app@sha256:` + digest + `",` +
			`"containerID":"containerd://` + digest + `","started":true}],"qosClass":"Burstable"}`
	case unschedulable:
		return `{` + nominated + `"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","lastProbeTime":null,` +
			`"lastTransitionTime":"` + r.createdAt + `","reason":"Unschedulable","message":"0/0 nodes are available."}],"qosClass":"Burstable"}`
	case created:
	}
	return `{` + nominated + `"phase":"Pending","qosClass":"Burstable"}`
}

const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// managedFields are what the API server writes about who set which field: a third of a pod's bytes.
const managedFields = `"managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1",` +
	`"time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:generateName":{},"f:labels":{".":{},"f:app":{},` +
	`"f:pod-template-hash":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee\"}":{}}},"f:spec":{` +
	`"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:env":{".":{},"k:{\"name\":\"A\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},` +
	`"f:imagePullPolicy":{},"f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}},` +
	`"f:periodSeconds":{},"f:successThreshold":{},"f:timeoutSeconds":{}},"f:name":{},"f:resources":{".":{},"f:requests":{".":{},"f:cpu":{},` +
	`"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:enableServiceLinks":{},` +
	`"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}},{"manager":"kubelet",` +
	`"operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{` +
	`"k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},` +
	`"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},"f:startTime":{}}},"subresource":"status"}]`

const volumes = `"volumes":[{"name":"kube-api-access-abcde","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,` +
	`"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},{"downwardAPI":{"items":[{` +
	`"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}],"defaultMode":420}}],`

const container = `"env":[{"name":"A","value":"1"},{"name":"B","value":"some configuration value"}],"volumeMounts":[{` +
	`"name":"kube-api-access-abcde","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],"livenessProbe":{` +
	`"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,` +
	`"failureThreshold":3},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"`

const podDefaults = `"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default",` +
	`"serviceAccount":"default","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready",` +
	`"operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists",` +
	`"effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"`
