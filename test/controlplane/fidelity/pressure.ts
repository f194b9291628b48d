/** Bursts under pressure: thieves, twenty priorities, a roll-out, another scheduler, and preemption at a pool's limit. */
import { setTimeout as sleep } from 'node:timers/promises';
import { deployment, nodePool, policy } from '../../scenario/objects.js';
import type { Manifest } from '../../scenario/world.js';
import { NAMESPACE } from '../berth/berth-cluster.js';
import { POLICY_STATUSES } from '../berth/kinds.js';
import { startSecondScheduler } from '../berth/scheduler.js';
import { PODS } from '../fixture/api/kube-object.js';
import { eventually } from '../fixture/eventually.js';
import { ofKind, tenSizes, type Stage, type Workload } from './workload.js';

const FIRST_NODE = { timeoutMillis: 120_000, everyMillis: 20 };
/** Thieves come one after the other, so many a second. */
const THIEVES_A_SECOND = 20;
const PRIORITIES = 20;
/** Kinds of which there is a new version in the middle. */
const ROLLED = [3, 5, 7];

/** Pods that come as nodes come up, and for which nothing is planned unless kube-scheduler finds no room. */
export function thieves(pods: number, count: number): Workload {
  return {
    ...tenSizes(`thieves-${String(count)}-of`, pods),
    during: (stage) => sendThieves(stage, count),
  };
}

/** The same where new nodes have the taint berth.sh/held. */
export function tainting({ cluster, ...workload }: Workload): Workload {
  return { ...workload, cluster: { ...cluster, flags: TAINTING }, level: 'L2, taint' };
}

const TAINTING = ['--taint-new-nodes', 'yes'];

/** Twenty Deployments, each of a priority of its own. */
export function priorities(pods: number): Workload {
  const podOf = (kind: number): { readonly priorityClassName: string } => ({
    priorityClassName: `p${String(kind)}`,
  });
  const burst = tenSizes('priorities', pods, { kinds: PRIORITIES, podOf });
  const classes = Array.from({ length: PRIORITIES }, (_, kind): Manifest => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: `p${String(kind)}` },
    value: 100 * kind,
  }));
  return { ...burst, manifests: [...classes, ...burst.manifests] };
}

/** Three of the ten Deployments have a new template when half of the pods are bound. */
export function rollOut(pods: number): Workload {
  const burst = tenSizes('roll-out', pods);
  const rolled = ROLLED.map((kind) => ofKind(kind, { replicas: burst.pods / 10, labels: { version: '2' } }));
  return {
    ...burst,
    during: async ({ world, timeline }) => {
      await eventually(
        'half are bound',
        () => timeline.pods().filter(({ nodeName }) => nodeName !== undefined).length >= burst.pods / 2,
        { timeoutMillis: 200_000, everyMillis: 50 },
      );
      await world.apply(rolled);
    },
    isCurrent: ({ labels }) =>
      labels['version'] === '2' || !ROLLED.some((kind) => labels['app'] === `kind-${String(kind)}`),
  };
}

export interface TwoSchedulers {
  /** Whether new nodes have the taint berth.sh/held. */
  readonly isTainting?: boolean;
  /** How often Berth is killed while nodes come up, and is away for some seconds. */
  readonly kills?: number;
}

const AWAY_MILLIS = 8000;

/** The burst's pods are berth-scheduler's, which asks the extender; as many others are the default scheduler's, which does not. */
export function twoSchedulers(
  pods: number,
  count: number,
  { isTainting = false, kills = 0 }: TwoSchedulers = {},
): Workload {
  const killed = kills > 0 ? `-${String(kills)}-kills` : '';
  const burst = tenSizes(`two-schedulers${killed}-${String(count)}-of`, pods);
  const flags = isTainting ? TAINTING : [];
  return {
    ...burst,
    cluster: { ...burst.cluster, level: 'L0', overlay: 'eks', flags },
    level: isTainting ? 'L2, taint' : 'L2',
    before: async ({ berth, world }) => {
      await startSecondScheduler(berth, NAMESPACE);
      await world.apply([SECOND_SCHEDULER]);
      await eventually('the PodDefaults is accepted', async () => {
        const found = await berth.cluster.api.find(POLICY_STATUSES, { name: 'poddefaults.second' });
        return found?.status?.conditions?.some(
          ({ type, status }) => type === 'Accepted' && status === 'True',
        );
      });
    },
    during: async (stage) => {
      await Promise.all([sendThieves(stage, count, { 'berth.sh/ignore': 'true' }), killBerth(stage, kills)]);
    },
  };
}

async function killBerth({ berth, timeline }: Stage, kills: number): Promise<void> {
  await eventually('a node comes up', () => timeline.usableNodes > 0, FIRST_NODE);
  for (let killed = 0; killed < kills; killed++) {
    await berth.berth.kill();
    await sleep(AWAY_MILLIS);
    await berth.startBerth();
  }
}

const SECOND_SCHEDULER = policy('second', {
  apiVersion: 'berth.sh/v1',
  kind: 'PodDefaults',
  metadata: { name: 'second' },
  spec: { schedulerName: 'auto' },
});

/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };
const HIGH: Manifest = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'high' },
  value: 1000,
};

/** More important pods when the pool is at its limit, and full of four times as many that run. */
export function preemption(pods: number): Workload {
  const low = 4 * pods;
  return {
    name: `preemption-${String(pods)}`,
    pods,
    besideSystemNode: true,
    pool: nodePool({
      requirements: { 'node.kubernetes.io/instance-type': ['m5.large'] },
      spec: {
        limits: { cpu: String(2 * low) },
        disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' },
      },
    }),
    before: async ({ world, timeline }) => {
      await world.apply([HIGH, deployment({ name: 'low', replicas: low, requests: ALONE })]);
      await eventually(
        'the pool is full',
        () => timeline.pods().filter(({ ready }) => ready).length === low,
        { timeoutMillis: 120_000, everyMillis: 100 },
      );
      // Its nodes are initialized, and nothing is under way.
      await sleep(5000);
    },
    manifests: [
      deployment({ name: 'high', replicas: pods, requests: ALONE, pod: { priorityClassName: 'high' } }),
    ],
    ours: ({ labels }) => labels['app'] === 'high',
  };
}

async function sendThieves(
  { berth, timeline }: Stage,
  count: number,
  annotations: Readonly<Record<string, string>> = {},
): Promise<void> {
  await eventually('a node comes up', () => timeline.usableNodes > 0, FIRST_NODE);
  for (let sent = 0; sent < count; sent++) {
    await berth.cluster.api.create(PODS, {
      metadata: { name: `thief-${String(sent)}`, labels: { app: 'thief' }, annotations },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'main',
            image: 'registry.k8s.io/pause:3.10',
            resources: { requests: { cpu: sent % 2 === 0 ? '250m' : '700m', memory: '512Mi' } },
          },
        ],
      },
    });
    await sleep(1000 / THIEVES_A_SECOND);
  }
}
