/** A random workload: one template with at most four kinds of rule, in as many replicas as asked. */
import { ZONES } from './catalog.js';
import type { Draw } from './draw.js';

export type Json = Record<string, unknown>;

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const APPS = ['a', 'b', 'c'] as const;

/** What a rule adds to a template. */
interface Template {
  readonly labels: Record<string, string>;
  readonly spec: Json;
  readonly container: Json;
  readonly requests: Json;
}

type Rule = (draw: Draw, template: Template) => void;

/** A Deployment, or a Job that is one gang, and what it needs beside it. `bound`: without what is settled by then. */
export function randomWorkload(
  draw: Draw,
  index: number,
  replicas: number,
  bound?: 'bound',
): readonly Json[] {
  const name = `d${String(index)}`;
  const namespace = draw.chance(0.15) ? 'team' : 'default';
  const app = draw.oneOf(APPS);
  const template: Template = {
    labels: { app, ...(draw.chance(0.3) ? { version: draw.oneOf(['v1', 'v2']) } : {}) },
    spec: {},
    container: {},
    requests: {
      cpu: draw.oneOf(bound ? ['100m'] : ['100m', '300m', '500m', '1', '1500m', '1900m', '3']),
      memory: draw.oneOf(bound ? ['128Mi'] : ['128Mi', '512Mi', '1Gi', '3500Mi', '6Gi', '12Gi']),
    },
  };
  const rules = Object.values(bound ? BOUND_RULES : RULES);
  for (const [rule, probability] of rules) if (draw.chance(probability)) rule(draw, template);
  if (bound) return [workload({ name, namespace, replicas, isGang: false }, template)];
  if (namespace === 'default' && replicas === 1 && draw.chance(0.15)) useVolume(draw, template);
  return [workload({ name, namespace, replicas, isGang: draw.chance(0.08) }, template)];
}

interface Identity {
  readonly name: string;
  readonly namespace: string;
  readonly replicas: number;
  readonly isGang: boolean;
}

function workload({ name, namespace, replicas, isGang }: Identity, template: Template): Json {
  const { labels, spec, container, requests } = template;
  const pod = {
    metadata: { labels },
    spec: { ...spec, containers: [{ name: 'c', image: 'x', ...container, resources: { requests } }] },
  };
  if (isGang)
    return {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace, annotations: { 'berth.sh/gang': 'true' } },
      spec: {
        parallelism: replicas,
        completions: replicas,
        template: { ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } },
      },
    };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: { replicas, selector: { matchLabels: labels }, template: pod },
  };
}

const RULES: Readonly<Record<string, readonly [Rule, number]>> = {
  selector: [selector, 0.2],
  nodeAffinity: [nodeAffinity, 0.15],
  preference: [nodePreference, 0.1],
  toleration: [toleration, 0.25],
  spread: [spread, 0.35],
  affinity: [podAffinity, 0.2],
  antiAffinity: [podAntiAffinity, 0.2],
  hostPort: [hostPort, 0.12],
  gpu: [gpu, 0.06],
  priority: [priority, 0.15],
};

const BOUND_RULES: Readonly<Record<string, readonly [Rule, number]>> = {
  antiAffinity: [podAntiAffinity, 0.25],
  hostPort: [hostPort, 0.15],
};

function selector(draw: Draw, { spec }: Template): void {
  spec['nodeSelector'] = draw.oneOf<Json>([
    { 'kubernetes.io/arch': 'arm64' },
    { 'kubernetes.io/arch': 'amd64' },
    { [ZONE]: ZONES[0] },
    { team: 'blue' },
    { 'karpenter.sh/capacity-type': 'on-demand' },
  ]);
}

function nodeRequirement(draw: Draw): Json {
  return draw.oneOf<Json>([
    { key: ZONE, operator: 'In', values: draw.part(ZONES) },
    { key: ZONE, operator: 'NotIn', values: [ZONES[2]] },
    { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['2'] },
    { key: 'karpenter.k8s.aws/instance-family', operator: 'NotIn', values: ['c6i', 't3'] },
    { key: 'team', operator: 'DoesNotExist' },
    { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64', 'amd64'] },
  ]);
}

/** The affinity of a spec, made where there is none yet. */
function affinityOf(spec: Json, kind: string): Json {
  const affinity = (spec['affinity'] ??= {}) as Json;
  return (affinity[kind] ??= {}) as Json;
}

function nodeAffinity(draw: Draw, { spec }: Template): void {
  const terms = Array.from({ length: draw.oneOf([1, 1, 2]) }, () => ({
    matchExpressions: [nodeRequirement(draw)],
  }));
  affinityOf(spec, 'nodeAffinity')['requiredDuringSchedulingIgnoredDuringExecution'] = {
    nodeSelectorTerms: terms,
  };
}

function nodePreference(draw: Draw, { spec }: Template): void {
  affinityOf(spec, 'nodeAffinity')['preferredDuringSchedulingIgnoredDuringExecution'] = [
    { weight: draw.integer(1, 100), preference: { matchExpressions: [nodeRequirement(draw)] } },
  ];
}

function toleration(_draw: Draw, { spec }: Template): void {
  spec['tolerations'] = [{ key: 'dedicated', operator: 'Exists' }];
}

/** Of the pods of an app, mostly the workload's own. */
function labelSelector(draw: Draw, { labels }: Template): Json {
  const app = draw.chance(0.6) ? labels['app'] : draw.oneOf(APPS);
  return draw.oneOf<Json>([
    { matchLabels: { app } },
    { matchLabels: { app } },
    { matchLabels: { app } },
    { matchExpressions: [{ key: 'app', operator: 'In', values: [app, draw.oneOf(APPS)] }] },
    { matchExpressions: [{ key: 'version', operator: 'DoesNotExist' }] },
  ]);
}

function spread(draw: Draw, template: Template): void {
  const constraints = Array.from({ length: draw.oneOf([1, 1, 1, 2]) }, () => {
    const topologyKey = draw.oneOf([
      ZONE,
      ZONE,
      HOST,
      HOST,
      'karpenter.sh/capacity-type',
      'kubernetes.io/arch',
      'rack',
    ]);
    const hard = draw.chance(0.75);
    return {
      maxSkew: draw.integer(1, 2),
      topologyKey,
      whenUnsatisfiable: hard ? 'DoNotSchedule' : 'ScheduleAnyway',
      labelSelector: labelSelector(draw, template),
      ...(hard && draw.chance(0.2) ? { minDomains: draw.integer(2, 3) } : {}),
      ...(draw.chance(0.15) ? { nodeTaintsPolicy: 'Honor' } : {}),
      ...(draw.chance(0.15) ? { nodeAffinityPolicy: 'Ignore' } : {}),
      ...(draw.chance(0.15) ? { matchLabelKeys: ['version'] } : {}),
    };
  });
  const byKey = new Map(
    constraints.map((item) => [`${item.topologyKey} ${item.whenUnsatisfiable}`, item] as const),
  );
  template.spec['topologySpreadConstraints'] = [...byKey.values()];
}

function podTerm(draw: Draw, template: Template): Json {
  return {
    labelSelector: labelSelector(draw, template),
    topologyKey: draw.oneOf([HOST, HOST, ZONE]),
    ...(draw.chance(0.2)
      ? draw.oneOf<Json>([
          { namespaceSelector: {} },
          { namespaceSelector: { matchLabels: { tier: 'front' } } },
          { namespaces: ['default', 'team'] },
        ])
      : {}),
    ...(draw.chance(0.1) ? { matchLabelKeys: ['version'] } : {}),
  };
}

function podTerms(kind: string, preferred: number): Rule {
  return (draw, template) => {
    const affinity = affinityOf(template.spec, kind);
    if (draw.chance(preferred))
      affinity['preferredDuringSchedulingIgnoredDuringExecution'] = [
        { weight: draw.integer(1, 100), podAffinityTerm: podTerm(draw, template) },
      ];
    else
      affinity['requiredDuringSchedulingIgnoredDuringExecution'] = Array.from(
        { length: draw.oneOf([1, 1, 1, 2]) },
        () => podTerm(draw, template),
      );
  };
}

function podAffinity(draw: Draw, template: Template): void {
  podTerms('podAffinity', 0.25)(draw, template);
}

function podAntiAffinity(draw: Draw, template: Template): void {
  podTerms('podAntiAffinity', 0.25)(draw, template);
}

function hostPort(draw: Draw, { container }: Template): void {
  container['ports'] = [{ containerPort: 80, hostPort: draw.oneOf([80, 443]) }];
}

function gpu(_draw: Draw, { container, requests }: Template): void {
  requests['nvidia.com/gpu'] = '1';
  container['resources'] = { limits: { 'nvidia.com/gpu': '1' } };
}

function priority(_draw: Draw, { spec }: Template): void {
  spec['priorityClassName'] = 'high';
}

function useVolume(draw: Draw, { spec }: Template): void {
  spec['volumes'] = [
    draw.oneOf<Json>([
      { name: 'v', persistentVolumeClaim: { claimName: 'zonal' } },
      { name: 'v', persistentVolumeClaim: { claimName: 'once' } },
      {
        name: 'v',
        ephemeral: {
          volumeClaimTemplate: {
            spec: {
              accessModes: ['ReadWriteOnce'],
              storageClassName: 'gp3',
              resources: { requests: { storage: '1Gi' } },
            },
          },
        },
      },
    ]),
  ];
}
