/**
 * The objects that kubectl sends as protobuf when it makes them itself (`create namespace`, `drain`): field numbers of the
 * generated.proto files of k8s.io/api and k8s.io/apimachinery. Files that people apply come as JSON.
 */

/**
 * How a field is read. Fields that the sender writes even when they are empty are left out then; those with `!` say
 * something when they are empty. `skip` is for what the server sets itself; fields of an `inline` message are the outer one's in JSON.
 */
export type FieldType =
  | 'string'
  | 'int'
  | 'int!'
  | 'bool'
  | 'bool!'
  | 'bytes'
  | 'IntOrString!'
  | 'skip'
  | `map ${'string' | 'bytes' | MessageName}`
  | `list ${'string' | MessageName}`
  | `inline ${MessageName}`
  | MessageName;

export type MessageName = Capitalize<string>;

/** Number → name and type. */
type Message = Readonly<Record<number, readonly [name: string, type: FieldType]>>;

const META = ['metadata', 'ObjectMeta'] as const;

export const MESSAGES: Readonly<Record<MessageName, Message>> = {
  ObjectMeta: {
    1: ['name', 'string'],
    2: ['generateName', 'string'],
    3: ['namespace', 'string'],
    4: ['selfLink', 'skip'],
    5: ['uid', 'string'],
    6: ['resourceVersion', 'string'],
    7: ['generation', 'skip'],
    8: ['creationTimestamp', 'skip'],
    11: ['labels', 'map string'],
    12: ['annotations', 'map string'],
    13: ['ownerReferences', 'list OwnerReference'],
    14: ['finalizers', 'list string'],
  },
  OwnerReference: {
    1: ['kind', 'string'],
    3: ['name', 'string'],
    4: ['uid', 'string'],
    5: ['apiVersion', 'string'],
    6: ['controller', 'bool'],
    7: ['blockOwnerDeletion', 'bool'],
  },
  LabelSelector: {
    1: ['matchLabels', 'map string'],
    2: ['matchExpressions', 'list LabelSelectorRequirement'],
  },
  LabelSelectorRequirement: { 1: ['key', 'string'], 2: ['operator', 'string'], 3: ['values', 'list string'] },
  DeleteOptions: {
    1: ['gracePeriodSeconds', 'int!'],
    2: ['preconditions', 'Preconditions'],
    4: ['propagationPolicy', 'string'],
    5: ['dryRun', 'list string'],
  },
  Preconditions: { 1: ['uid', 'string'], 2: ['resourceVersion', 'string'] },
  Eviction: { 1: META, 2: ['deleteOptions', 'DeleteOptions'] },
  Namespace: { 1: META, 2: ['spec', 'NamespaceSpec'], 3: ['status', 'skip'] },
  NamespaceSpec: { 1: ['finalizers', 'list string'] },
  ConfigMap: {
    1: META,
    2: ['data', 'map string'],
    3: ['binaryData', 'map bytes'],
    4: ['immutable', 'bool'],
  },
  Secret: {
    1: META,
    2: ['data', 'map bytes'],
    3: ['type', 'string'],
    4: ['stringData', 'map string'],
    5: ['immutable', 'bool'],
  },
  ServiceAccount: { 1: META, 4: ['automountServiceAccountToken', 'bool!'] },
  PriorityClass: {
    1: META,
    2: ['value', 'int!'],
    3: ['globalDefault', 'bool'],
    4: ['description', 'string'],
    5: ['preemptionPolicy', 'string'],
  },
  PodDisruptionBudget: { 1: META, 2: ['spec', 'PodDisruptionBudgetSpec'], 3: ['status', 'skip'] },
  PodDisruptionBudgetSpec: {
    1: ['minAvailable', 'IntOrString!'],
    2: ['selector', 'LabelSelector'],
    3: ['maxUnavailable', 'IntOrString!'],
    4: ['unhealthyPodEvictionPolicy', 'string'],
  },
  SelfSubjectReview: { 1: META, 2: ['status', 'skip'] },
  SelfSubjectAccessReview: { 1: META, 2: ['spec', 'skip'], 3: ['status', 'skip'] },
  Service: { 1: META, 2: ['spec', 'ServiceSpec'], 3: ['status', 'skip'] },
  ServiceSpec: {
    1: ['ports', 'list ServicePort'],
    2: ['selector', 'map string'],
    3: ['clusterIP', 'string'],
    4: ['type', 'string'],
    7: ['sessionAffinity', 'string'],
    10: ['externalName', 'string'],
  },
  ServicePort: {
    1: ['name', 'string'],
    2: ['protocol', 'string'],
    3: ['port', 'int'],
    4: ['targetPort', 'IntOrString'],
    5: ['nodePort', 'int'],
  },
  Deployment: { 1: META, 2: ['spec', 'DeploymentSpec'], 3: ['status', 'skip'] },
  DeploymentSpec: {
    1: ['replicas', 'int!'],
    2: ['selector', 'LabelSelector'],
    3: ['template', 'PodTemplateSpec'],
    4: ['strategy', 'DeploymentStrategy'],
  },
  DeploymentStrategy: { 1: ['type', 'string'] },
  Job: { 1: META, 2: ['spec', 'JobSpec'], 3: ['status', 'skip'] },
  JobSpec: {
    1: ['parallelism', 'int!'],
    2: ['completions', 'int!'],
    6: ['template', 'PodTemplateSpec'],
    7: ['backoffLimit', 'int!'],
  },
  PodTemplateSpec: { 1: META, 2: ['spec', 'PodSpec'] },
  Pod: { 1: META, 2: ['spec', 'PodSpec'], 3: ['status', 'skip'] },
  PodSpec: {
    1: ['volumes', 'list Volume'],
    2: ['containers', 'list Container'],
    3: ['restartPolicy', 'string'],
    7: ['nodeSelector', 'map string'],
    8: ['serviceAccountName', 'string'],
    10: ['nodeName', 'string'],
    11: ['hostNetwork', 'bool'],
    12: ['hostPID', 'bool'],
    13: ['hostIPC', 'bool'],
    22: ['tolerations', 'list Toleration'],
    24: ['priorityClassName', 'string'],
  },
  Container: {
    1: ['name', 'string'],
    2: ['image', 'string'],
    3: ['command', 'list string'],
    4: ['args', 'list string'],
    6: ['ports', 'list ContainerPort'],
    7: ['env', 'list EnvVar'],
    8: ['resources', 'ResourceRequirements'],
    9: ['volumeMounts', 'list VolumeMount'],
    13: ['terminationMessagePath', 'string'],
    14: ['imagePullPolicy', 'string'],
    15: ['securityContext', 'SecurityContext'],
    16: ['stdin', 'bool'],
    17: ['stdinOnce', 'bool'],
    18: ['tty', 'bool'],
    20: ['terminationMessagePolicy', 'string'],
  },
  /** What `kubectl debug node/…` asks for: the host's files, and rights on them. */
  Volume: { 1: ['name', 'string'], 2: ['volumeSource', 'inline VolumeSource'] },
  VolumeSource: { 1: ['hostPath', 'HostPathVolumeSource'] },
  HostPathVolumeSource: { 1: ['path', 'string'], 2: ['type', 'string'] },
  VolumeMount: {
    1: ['name', 'string'],
    2: ['readOnly', 'bool'],
    3: ['mountPath', 'string'],
    4: ['subPath', 'string'],
  },
  SecurityContext: {
    1: ['capabilities', 'Capabilities'],
    2: ['privileged', 'bool'],
    4: ['runAsUser', 'int!'],
    5: ['runAsNonRoot', 'bool!'],
  },
  Capabilities: { 1: ['add', 'list string'], 2: ['drop', 'list string'] },
  Toleration: {
    1: ['key', 'string'],
    2: ['operator', 'string'],
    3: ['value', 'string'],
    4: ['effect', 'string'],
    5: ['tolerationSeconds', 'int!'],
  },
  ContainerPort: {
    1: ['name', 'string'],
    2: ['hostPort', 'int'],
    3: ['containerPort', 'int'],
    4: ['protocol', 'string'],
  },
  EnvVar: { 1: ['name', 'string'], 2: ['value', 'string'] },
  ResourceRequirements: { 1: ['limits', 'map Quantity'], 2: ['requests', 'map Quantity'] },
  /** These two are plain values in JSON. */
  Quantity: { 1: ['string', 'string'] },
  IntOrString: { 1: ['type', 'int'], 2: ['intVal', 'int'], 3: ['strVal', 'string'] },
  /** The envelope. */
  Unknown: {
    1: ['typeMeta', 'TypeMeta'],
    2: ['raw', 'bytes'],
    3: ['contentEncoding', 'string'],
    4: ['contentType', 'string'],
  },
  TypeMeta: { 1: ['apiVersion', 'string'], 2: ['kind', 'string'] },
};
