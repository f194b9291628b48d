{{- /* Names, labels and images. Fixed names are those that the program has: src/servers/tls, src/controllers. */ -}}

{{- define "berth.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "berth.fullname" -}}
{{- .Values.fullnameOverride | default "berth" | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "berth.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default "berth-controller" -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- /* Of pods, by which Deployments, Services and policies find them. */ -}}
{{- define "berth.selectorLabels" -}}
app.kubernetes.io/name: {{ include "berth.name" . }}
{{- end -}}

{{- define "berth.schedulerSelectorLabels" -}}
app.kubernetes.io/name: {{ include "berth.name" . }}-scheduler
{{- end -}}

{{- /* Of every object. The common ones are left out of the rendered manifests (scripts/render-manifests.js). */ -}}
{{- define "berth.labels" -}}
{{ include "berth.selectorLabels" . }}
{{ include "berth.commonLabels" . }}
{{- end -}}

{{- define "berth.schedulerLabels" -}}
{{ include "berth.schedulerSelectorLabels" . }}
{{ include "berth.commonLabels" . }}
{{- end -}}

{{- define "berth.commonLabels" -}}
app.kubernetes.io/part-of: berth
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- with .Values.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "berth.annotations" -}}
{{- with .Values.additionalAnnotations -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- /* Labels and annotations of an object. */ -}}
{{- define "berth.metadata" -}}
labels:
  {{- include "berth.labels" . | nindent 2 }}
{{- with include "berth.annotations" . }}
{{ . }}
{{- end }}
{{- end -}}

{{- define "berth.schedulerMetadata" -}}
labels:
  {{- include "berth.schedulerLabels" . | nindent 2 }}
{{- with include "berth.annotations" . }}
{{ . }}
{{- end }}
{{- end -}}

{{- define "berth.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* kube-scheduler as old as the API server, or what the values say, which must not be newer. */ -}}
{{- define "berth.schedulerImage" -}}
{{- $server := regexFind "[0-9]+\\.[0-9]+\\.[0-9]+" .Capabilities.KubeVersion.Version -}}
{{- with .Values.scheduler.image -}}
{{- $tag := .tag | default (printf "v%s" $server) -}}
{{- $given := regexFind "[0-9]+\\.[0-9]+" $tag -}}
{{- $own := regexFind "[0-9]+\\.[0-9]+" $server -}}
{{- if and $given (semverCompare (printf ">%s.0" $own) (printf "%s.0" $given)) -}}
{{- fail (printf "scheduler.image.tag %s is newer than the API server (%s): kube-scheduler may be as new as it, or one minor version older" $tag $server) -}}
{{- end -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ $tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "berth.extenderUrl" -}}
{{- .Values.scheduler.extenderUrl | default (printf "https://berth-extender.%s.svc:9444" .Release.Namespace) -}}
{{- end -}}
