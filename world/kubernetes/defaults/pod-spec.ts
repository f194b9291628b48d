/** What pods and pod templates get that do not say it (k8s.io/kubernetes/pkg/apis/core/v1/defaults.go). */
import {
  equalJson,
  isObject,
  listAt,
  objectAt,
  textAt,
  withDefaults,
  withValue,
  type JsonObject,
} from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';

const SPEC = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};
const CONTAINER = {
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const PROBE = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
const DEFAULT_MODE = 0o644;

const ITEM_DEFAULTS = {
  containers: containerDefaults,
  initContainers: containerDefaults,
  volumes: volumeDefaults,
};

export function podSpecDefaults(spec: JsonObject): JsonObject {
  const filled = withDefaults(spec, SPEC);
  const lists = Object.entries(ITEM_DEFAULTS)
    .filter(([field]) => Array.isArray(filled[field]))
    .map(([field, defaults]) => {
      return [field, listAt(filled, field).map((item) => (isObject(item) ? defaults(item) : item))] as const;
    });
  return { ...filled, ...Object.fromEntries(lists) };
}

export function podDefaults(pod: KubeObject): KubeObject {
  const spec = withDefaults(podSpecDefaults(objectAt(pod, 'spec')), { enableServiceLinks: true });
  const status = withDefaults(objectAt(pod, 'status'), { phase: 'Pending', qosClass: qosClassOf(spec) });
  return { ...pod, spec, status };
}

/** The pods that a workload makes. */
export function templateDefaults(template: unknown): unknown {
  if (!isObject(template)) return template;
  return { ...template, spec: podSpecDefaults(objectAt(template, 'spec')) };
}

function containerDefaults(container: JsonObject): JsonObject {
  let filled = withDefaults(container, {
    ...CONTAINER,
    imagePullPolicy: pullPolicy(textAt(container, 'image')),
  });
  const limits = objectAt(filled, 'resources', 'limits');
  if (Object.keys(limits).length > 0)
    filled = withValue(
      filled,
      ['resources', 'requests'],
      withDefaults(objectAt(filled, 'resources', 'requests'), limits),
    );
  if (Array.isArray(filled['ports']))
    filled = {
      ...filled,
      ports: listAt(filled, 'ports').map((port) =>
        isObject(port) ? withDefaults(port, { protocol: 'TCP' }) : port,
      ),
    };
  for (const probe of PROBES) {
    const given = filled[probe];
    if (isObject(given)) filled = { ...filled, [probe]: withDefaults(given, PROBE) };
  }
  return filled;
}

/** The tag `latest`, also where it is only meant, is always pulled. */
function pullPolicy(image: string): string {
  if (image.includes('@')) return 'IfNotPresent';
  const tag = /:([^/:]+)$/.exec(image)?.[1] ?? 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function volumeDefaults(volume: JsonObject): JsonObject {
  const sources = ['configMap', 'secret', 'projected', 'downwardAPI']
    .filter((source) => isObject(volume[source]))
    .map((source) => {
      return [source, withDefaults(objectAt(volume, source), { defaultMode: DEFAULT_MODE })] as const;
    });
  const isSourceless = Object.keys(volume).every((field) => field === 'name');
  return { ...volume, ...(isSourceless && { emptyDir: {} }), ...Object.fromEntries(sources) };
}

const COUNTED = ['cpu', 'memory'];

function qosClassOf(spec: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')];
  const resources = containers.map((container) => ({
    requests: counted(objectAt(container, 'resources', 'requests')),
    limits: counted(objectAt(container, 'resources', 'limits')),
  }));
  const isEmpty = (list: JsonObject): boolean => Object.keys(list).length === 0;
  if (resources.every(({ requests, limits }) => isEmpty(requests) && isEmpty(limits))) return 'BestEffort';
  const isGuaranteed = resources.every(({ requests, limits }) => {
    const isWhole = COUNTED.every((name) => limits[name] !== undefined);
    return isWhole && (isEmpty(requests) || equalJson(requests, limits));
  });
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function counted(list: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(list).filter(([name]) => COUNTED.includes(name)));
}
