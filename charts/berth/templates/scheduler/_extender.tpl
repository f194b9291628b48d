{{- /* What kube-scheduler is told of the extender, whoever serves it. */ -}}
{{- define "berth.extenderVerbs" -}}
filterVerb: filter
prioritizeVerb: prioritize
preemptVerb: preempt
# Berth's ten points (10 x 15 x 10) then weigh more than all of kube-scheduler's default scores together (100 x 12).
weight: 15
httpTimeout: 500ms
# Names only: whole nodes would be megabytes for each pod, and would be scored as if they were empty.
nodeCacheCapable: true
# Scheduling continues without Berth when the extender cannot be reached.
ignorable: true
{{- end -}}

{{- /* How many requests kube-scheduler may send. */ -}}
{{- define "berth.schedulerClient" -}}
# Pods of new nodes can all be bound at once: with kube-scheduler's default of 50 requests a second 1,000 of them wait for 20 s.
clientConnection:
  qps: 200
  burst: 400
{{- end -}}

{{- /* Flags of controller.extraArgs that the extender of the second kube-scheduler needs as well, as --flag=value or in two items. */ -}}
{{- define "berth.extenderArgs" -}}
{{- $names := "lease-duration|schedulers|least-priority|preempt-while-launching|max-nodes-to-score" -}}
{{- $isValue := false -}}
{{- range .Values.controller.extraArgs -}}
{{- if or $isValue (regexMatch (printf "^--(%s)(=|$)" $names) .) }}
- {{ . | quote }}
{{- end -}}
{{- $isValue = regexMatch (printf "^--(%s)$" $names) . -}}
{{- end -}}
{{- end -}}

{{- /* The same of the variables in controller.env. */ -}}
{{- define "berth.extenderEnv" -}}
{{- $names := list "LEASE_DURATION_SECONDS" "BERTH_SCHEDULERS" "BERTH_LEAST_PRIORITY" "BERTH_PREEMPT_WHILE_LAUNCHING" "BERTH_MAX_NODES_TO_SCORE" -}}
{{- range .Values.controller.env -}}
{{- if has .name $names }}
- {{ toJson . }}
{{- end -}}
{{- end -}}
{{- end -}}
