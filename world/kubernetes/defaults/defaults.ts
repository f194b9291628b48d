/** What objects of the built-in kinds get that do not say it, by kind. Applied twice, nothing more changes. */
import {
  compact,
  isObject,
  listAt,
  objectAt,
  textAt,
  textsAt,
  withDefaults,
  withValue,
  type JsonObject,
} from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import { podDefaults, templateDefaults } from './pod-spec.js';
import { WORKLOAD_DEFAULTS } from './workloads.js';

type Defaults = (object: KubeObject) => KubeObject;

/** Fields of one part of the object. */
function part(field: string, defaults: JsonObject): Defaults {
  return (object) => ({ ...object, [field]: withDefaults(objectAt(object, field), defaults) });
}

/** Fields of the object itself. */
function top(defaults: JsonObject): Defaults {
  return (object) => ({ ...object, ...withDefaults(compact(object, 'metadata'), defaults) });
}

function all(...each: readonly Defaults[]): Defaults {
  return (object) => each.reduce((filled, defaults) => defaults(filled), object);
}

function namespace(object: KubeObject): KubeObject {
  const { name, labels } = object.metadata;
  const named = { ...object.metadata, labels: { ...labels, 'kubernetes.io/metadata.name': name } };
  const filled = part('spec', { finalizers: ['kubernetes'] })({ ...object, metadata: named });
  return part('status', { phase: 'Active' })(filled);
}

/** An empty list of taints is left out, as by every API server (`omitempty`): patches test for there being none. */
function node(object: KubeObject): KubeObject {
  const whole = part('spec', {})(object);
  const filled =
    listAt(whole, 'spec', 'taints').length > 0 ? whole : withValue(whole, ['spec', 'taints'], undefined);
  const capacity = objectAt(filled, 'status', 'capacity');
  if (Object.keys(capacity).length === 0) return filled;
  return part('status', { allocatable: capacity })(filled);
}

function service(object: KubeObject): KubeObject {
  const filled = part('spec', {
    type: 'ClusterIP',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
  })(object);
  const ports = listAt(filled, 'spec', 'ports').map((port) =>
    isObject(port) ? withDefaults(port, { protocol: 'TCP', targetPort: port['port'] }) : port,
  );
  const whole = ports.length === 0 ? filled : withValue(filled, ['spec', 'ports'], ports);
  return part('status', { loadBalancer: {} })(whole);
}

/** stringData is written only, never read. */
function secret(object: KubeObject): KubeObject {
  const texts = Object.entries(textsAt(object, 'stringData'));
  const encoded = texts.map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const);
  const data: JsonObject = { ...objectAt(object, 'data'), ...Object.fromEntries(encoded) };
  const kept = {
    ...compact(object, 'stringData'),
    ...(Object.keys(data).length > 0 && { data }),
    type: textAt(object, 'type') === '' ? 'Opaque' : object['type'],
  };
  return { ...kept, apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata };
}

const WEBHOOK = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

function webhooks(more: JsonObject): Defaults {
  return (object) => {
    const filled = listAt(object, 'webhooks').map((webhook) => {
      if (!isObject(webhook)) return webhook;
      const whole = withDefaults(webhook, { ...WEBHOOK, ...more });
      const rules = listAt(whole, 'rules').map((rule) =>
        isObject(rule) ? withDefaults(rule, { scope: '*' }) : rule,
      );
      const isService = isObject(objectAt(whole, 'clientConfig')['service']);
      const client = isService
        ? part('service', { port: 443 })(objectAt(whole, 'clientConfig') as KubeObject)
        : whole['clientConfig'];
      return { ...whole, rules, clientConfig: client };
    });
    return { ...object, webhooks: filled };
  };
}

function definition(object: KubeObject): KubeObject {
  const kind = textAt(object, 'spec', 'names', 'kind');
  const names = withDefaults(objectAt(object, 'spec', 'names'), {
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
  });
  const filled = withValue(object, ['spec', 'names'], names);
  return part('spec', { conversion: { strategy: 'None' } })(filled);
}

function podTemplate(object: KubeObject): KubeObject {
  return { ...object, template: templateDefaults(object['template']) };
}

export const DEFAULTS: Readonly<Record<string, Defaults>> = {
  ...WORKLOAD_DEFAULTS,
  Pod: podDefaults,
  PodTemplate: podTemplate,
  Node: node,
  Namespace: namespace,
  Service: service,
  Secret: secret,
  PersistentVolume: all(
    part('spec', { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
    part('status', { phase: 'Pending' }),
  ),
  PersistentVolumeClaim: all(
    part('spec', { volumeMode: 'Filesystem' }),
    part('status', { phase: 'Pending' }),
  ),
  StorageClass: top({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  PriorityClass: top({ preemptionPolicy: 'PreemptLowerPriority' }),
  MutatingWebhookConfiguration: webhooks({ reinvocationPolicy: 'Never' }),
  ValidatingWebhookConfiguration: webhooks({}),
  CustomResourceDefinition: definition,
};
