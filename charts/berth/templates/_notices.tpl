{{- /* What of the values has no effect, one line each. */ -}}

{{- /* Settings of Karpenter that Berth has no choice about: path, the value that has an effect, what Berth does. */ -}}
{{- define "berth.fixedSettings" -}}
- [disableClusterStateObservability, false, metrics of the cluster's state are always there]
- [amiRefreshInterval, '', Berth has its own interval]
- [subnetRefreshInterval, '', Berth has its own interval]
- [featureGates.nodeRepair, true, unhealthy nodes are always replaced]
- [featureGates.nodeOverlay, true, NodeOverlays are always read]
- [featureGates.reservedCapacity, true, capacity reservations are always used]
- [featureGates.staticCapacity, true, NodePools with replicas are always static]
- [featureGates.capacityBuffer, true, CapacityBuffers are always read where the cluster has them]
- [featureGates.terminateFirstDrift, false, a node is drained when its replacement is ready]
- [featureGates.terminateFirstRepair, false, an unhealthy node never waits for its replacement for long]
- [legacyNodeRepair, false, 'there is one way of repair: within budgets, by policies for each reason']
- [securityGroupRefreshInterval, '', Berth has its own interval]
{{- end -}}

{{- /* [known keys, values, path before them]: a line for each key that is not known. */ -}}
{{- define "berth.unknownKeys" -}}
{{- $known := index . 0 -}}
{{- $path := index . 2 -}}
{{- range $key, $value := index . 1 -}}
{{- if not (hasKey $known $key) }}
- {{ $path }}{{ $key }}: not a value of this chart
{{- else if and (kindIs "map" (get $known $key)) (kindIs "map" $value) -}}
{{- include "berth.unknownKeys" (list (get $known $key) $value (printf "%s%s." $path $key)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "berth.notices" -}}
{{- $values := omit .Values "global" "berth-crd" -}}
{{- include "berth.unknownKeys" (list (.Files.Get "files/known-values.json" | fromJson) $values "") -}}
{{- range fromYamlArray (include "berth.fixedSettings" .) -}}
{{- $path := index . 0 -}}
{{- $value := $.Values.settings -}}
{{- range splitList "." $path -}}
{{- $value = get $value . -}}
{{- end -}}
{{- if ne (toString $value) (toString (index . 1)) }}
- settings.{{ $path }} ({{ $value }}): {{ index . 2 }}
{{- end -}}
{{- end -}}
{{- end -}}
