{{- /* What the pods of both Deployments share. */ -}}

{{- /* [values, changes of the user]: meets the pod security standard `restricted`. */ -}}
{{- define "berth.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "berth.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- /* Affinity in which terms about pods without a label selector have the given one; takes a dict of affinity and selector. */ -}}
{{- define "berth.affinity" -}}
{{- $affinity := deepCopy .affinity -}}
{{- $selector := .selector -}}
{{- range $kind := list "podAffinity" "podAntiAffinity" -}}
{{- with index $affinity $kind -}}
{{- range .requiredDuringSchedulingIgnoredDuringExecution -}}
{{- if not (hasKey . "labelSelector") -}}{{- $_ := set . "labelSelector" (dict "matchLabels" $selector) -}}{{- end -}}
{{- end -}}
{{- range .preferredDuringSchedulingIgnoredDuringExecution -}}
{{- with .podAffinityTerm -}}
{{- if not (hasKey . "labelSelector") -}}{{- $_ := set . "labelSelector" (dict "matchLabels" $selector) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $affinity -}}
{{- end -}}

{{- /* Spread constraints, likewise; takes a dict of constraints and selector. */ -}}
{{- define "berth.spread" -}}
{{- $constraints := deepCopy .constraints -}}
{{- $selector := .selector -}}
{{- range $constraints -}}
{{- if not (hasKey . "labelSelector") -}}{{- $_ := set . "labelSelector" (dict "matchLabels" $selector) -}}{{- end -}}
{{- end -}}
{{- toYaml $constraints -}}
{{- end -}}

{{- /* Where and how a pod is placed: from the first key of the pod's spec to the last that both Deployments have. Takes a dict of root and selector. */ -}}
{{- define "berth.placement" -}}
{{- $selector := fromYaml .selector -}}
{{- with .root.Values -}}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
# kube-scheduler's own profile, so that Berth never waits for itself.
schedulerName: {{ .schedulerName }}
{{- with .imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- include "berth.affinity" (dict "affinity" . "selector" $selector) | nindent 2 }}
{{- end }}
{{- with .topologySpreadConstraints }}
topologySpreadConstraints:
  {{- include "berth.spread" (dict "constraints" . "selector" $selector) | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml (mergeOverwrite (fromYaml (include "berth.podSecurityContext" $)) (deepCopy .podSecurityContext)) | nindent 2 }}
{{- end }}
{{- end -}}
