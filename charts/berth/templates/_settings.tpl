{{- /* Settings as environment variables of the program. */ -}}

{{- /* Variables whose value is the setting's, of settings that are given. */ -}}
{{- define "berth.plainSettings" -}}
clusterName: CLUSTER_NAME
cloud: BERTH_CLOUD
region: AWS_REGION
interruptionQueue: INTERRUPTION_QUEUE
clusterEndpoint: CLUSTER_ENDPOINT
clusterCABundle: CLUSTER_CA_BUNDLE
clusterServiceCIDR: BERTH_CLUSTER_SERVICE_CIDR
kubernetesVersion: BERTH_KUBERNETES_VERSION
maxNodesPerMinute: BERTH_MAX_NODES_PER_MINUTE
maxHourlyCost: BERTH_MAX_HOURLY_COST
maxConcurrentTerminations: BERTH_MAX_CONCURRENT_TERMINATIONS
metricsDetail: BERTH_METRICS_DETAIL
{{- end -}}

{{- define "berth.approvalSettings" -}}
abovePrice: BERTH_APPROVE_ABOVE_PRICE
aboveNodes: BERTH_APPROVE_ABOVE_NODES
aboveEvictions: BERTH_APPROVE_ABOVE_EVICTIONS
approveAfter: BERTH_APPROVE_AFTER_MINUTES
expiry: BERTH_PROPOSAL_EXPIRY_MINUTES
rejectFor: BERTH_REJECT_FOR_MINUTES
maxProposals: BERTH_MAX_PROPOSALS
{{- end -}}

{{- define "berth.listSettings" -}}
nodeRoles: BERTH_NODE_ROLES
nodeProfiles: BERTH_NODE_PROFILES
nodeSubnets: BERTH_NODE_SUBNETS
nodeImageOwners: BERTH_NODE_IMAGE_OWNERS
{{- end -}}

{{- define "berth.durationSettings" -}}
batchMaxDuration: BATCH_MAX_SECONDS
batchIdleDuration: BATCH_IDLE_SECONDS
observeInterval: BERTH_OBSERVE_INTERVAL_SECONDS
{{- end -}}

{{- /* Seconds of a duration as Go and Karpenter write it, such as 1m30s or 500ms; takes a list of its name and the text. */ -}}
{{- define "berth.seconds" -}}
{{- $name := first . -}}
{{- $text := last . | toString -}}
{{- if not (regexMatch "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$" $text) -}}
{{- fail (printf "settings.%s is %q: expected a duration such as 10s, 500ms or 1m30s" $name $text) -}}
{{- end -}}
{{- $factors := dict "ms" 0.001 "s" 1.0 "m" 60.0 "h" 3600.0 -}}
{{- $sum := 0.0 -}}
{{- range regexFindAll "[0-9]+(\\.[0-9]+)?(ms|s|m|h)" $text -1 -}}
{{- $number := regexFind "^[0-9.]+" . | float64 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $sum = addf $sum (mulf $number (get $factors $unit)) -}}
{{- end -}}
{{- round $sum 3 -}}
{{- end -}}

{{- /* Numbers of YAML are floating, and large ones would be written with an exponent. */ -}}
{{- define "berth.text" -}}
{{- if kindIs "float64" . }}{{ if eq (floor .) . }}{{ int64 . }}{{ else }}{{ . }}{{ end }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{- /* A required value is missing, or two contradict each other: the sentence. */ -}}
{{- define "berth.check" -}}
{{- if and (eq .Values.settings.cloud "aws") (not .Values.settings.clusterName) -}}
{{- fail "settings.clusterName is required: the name of the cluster, as EKS knows it" -}}
{{- end -}}
{{- if and (eq (include "berth.schedulerMode" .) "second") (eq .Values.schedulerName "berth-scheduler") -}}
{{- fail "schedulerName must not be berth-scheduler: Berth would wait for itself" -}}
{{- end -}}
{{- end -}}

{{- /* second, cluster or none: an observer answers no kube-scheduler. */ -}}
{{- define "berth.schedulerMode" -}}
{{- eq .Values.settings.mode "observe" | ternary "none" .Values.scheduler.mode -}}
{{- end -}}

{{- define "berth.settingsEnv" -}}
{{- $settings := .Values.settings -}}
{{- range $key, $variable := fromYaml (include "berth.plainSettings" .) }}
{{- with get $settings $key }}
- name: {{ $variable }}
  value: {{ include "berth.text" . | quote }}
{{- end }}
{{- end }}
{{- range $key, $variable := fromYaml (include "berth.listSettings" .) }}
{{- with get $settings $key }}
- name: {{ $variable }}
  value: {{ join "," . | quote }}
{{- end }}
{{- end }}
{{- range $key, $variable := fromYaml (include "berth.durationSettings" .) }}
{{- with get $settings $key }}
- name: {{ $variable }}
  value: {{ include "berth.seconds" (list $key .) | quote }}
{{- end }}
{{- end }}
{{- if $settings.isolatedVPC }}
- name: ISOLATED_VPC
  value: 'yes'
{{- end }}
{{- if $settings.enableZonalShift }}
- name: ENABLE_ZONAL_SHIFT
  value: 'yes'
{{- end }}
{{- if ne $settings.mode "act" }}
- name: BERTH_MODE
  value: {{ $settings.mode }}
{{- end }}
{{- $approvals := .Values.approvals }}
{{- range $key, $variable := fromYaml (include "berth.approvalSettings" .) }}
{{- $value := get $approvals $key }}
{{- /* 0 is a threshold. */ -}}
{{- if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}
- name: {{ $variable }}
  value: {{ include "berth.text" $value | quote }}
{{- end }}
{{- end }}
{{- with .Values.notifications }}
{{- if .secretName }}
- name: BERTH_NOTIFY_URL
  value: '@/etc/berth/notifications/url'
{{- with .events }}
- name: BERTH_NOTIFY_ON
  value: {{ join "," . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- if ne $settings.preferencePolicy "Respect" }}
- name: PREFERENCE_POLICY
  value: {{ $settings.preferencePolicy }}
{{- end }}
{{- with $settings.schedulerConfig }}
- name: SCHEDULER_CONFIG
  value: {{ toJson . | quote }}
{{- end }}
{{- if not $settings.ignoreDRARequests }}
- name: IGNORE_DRA_REQUESTS
  value: 'false'
{{- end }}
{{- if ne $settings.minValuesPolicy "Strict" }}
- name: MIN_VALUES_POLICY
  value: {{ $settings.minValuesPolicy }}
{{- end }}
{{- if ne (include "berth.text" $settings.vmMemoryOverheadPercent) "0.075" }}
- name: VM_MEMORY_OVERHEAD_PERCENT
  value: {{ include "berth.text" $settings.vmMemoryOverheadPercent | quote }}
{{- end }}
{{- if ne (include "berth.text" $settings.reservedENIs) "0" }}
- name: RESERVED_ENIS
  value: {{ include "berth.text" $settings.reservedENIs | quote }}
{{- end }}
{{- if not $settings.featureGates.podDeletionCostManagement }}
- name: BERTH_POD_DELETION_COST
  value: 'no'
{{- end }}
{{- if not $settings.featureGates.spotToSpotConsolidation }}
- name: BERTH_SPOT_TO_SPOT
  value: 'no'
{{- end }}
{{- if $settings.awsFeatureGates.nodeClassCEL }}
- name: BERTH_KUBELET_EXPRESSIONS
  value: 'yes'
{{- end }}
{{- if $settings.awsFeatureGates.rebootForRepair }}
- name: BERTH_REBOOT_FOR_REPAIR
  value: 'yes'
{{- end }}
{{- if $settings.disableDryRun }}
- name: BERTH_CHECK_PERMISSIONS
  value: 'no'
{{- end }}
- name: LOG_LEVEL
  value: {{ .Values.logLevel }}
{{- end -}}

{{- /* Who and where a pod is. */ -}}
{{- define "berth.podEnv" -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
{{- end -}}
