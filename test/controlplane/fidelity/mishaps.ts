/** Bursts in the middle of which something breaks: where their pods land, and what was bought for them. */
import { setTimeout as sleep } from 'node:timers/promises';
import process from 'node:process';
import { deployment } from '../../scenario/objects.js';
import type { SeenPod } from '../../scenario/world.js';
import type { BerthCluster } from '../berth/berth-cluster.js';
import { NODE_CLAIMS, RESERVATIONS, type NodeClaim } from '../berth/kinds.js';
import { RealWorld } from '../berth/real-world.js';
import { PODS } from '../fixture/api/kube-object.js';
import { metricSum } from '../fixture/metric-sum.js';

/** When in a burst it breaks. */
export const MOMENTS = ['claims', 'instances', 'ready node', 'bound pod'] as const;
export type Moment = (typeof MOMENTS)[number];

export interface MishapRow {
  /** What breaks, and when. */
  readonly workload: string;
  readonly pods: number;
  /** Bound to none of the nodes where they were ever planned, or never planned at all. In a gated burst only pods with the gate. */
  readonly boundElsewhere: number;
  /** Pods with room when it broke that have had it somewhere else since. */
  readonly movedReservations: number;
  /** Claims whose node has none of the pods. */
  readonly bornEmpty: number;
  /** Instances beyond one a claim. */
  readonly boughtTwice: number;
  /** From the moment at which it broke until the last pod was bound. */
  readonly seconds: number;
  /** Pods that were created without the scheduling gate. */
  readonly ungated: number;
  /** Pods that the API server let pass, by its own count, because the webhook did not answer within two seconds (failurePolicy Ignore). */
  readonly failedOpen: number;
}

/** What breaks; resolves when it is mended. */
export type Mishap = (berth: BerthCluster) => Promise<void>;

/** Nobody answers for so long; longer than an instance takes to boot. */
const AWAY_MILLIS = 8000;
const BOUND_WITHIN_SECONDS = 200;
/** A claim without room for a pod is given up after 30 s. */
const CLAIMS_SETTLE_SECONDS = 60;

export const MISHAPS = {
  'Berth is killed': async (berth) => {
    await berth.berth.kill();
    await sleep(AWAY_MILLIS);
    await berth.startBerth();
  },
  'the leader is cut off': async (berth) => {
    const { pid } = berth.berth.component;
    process.kill(pid, 'SIGSTOP');
    await sleep(2 * AWAY_MILLIS);
    process.kill(pid, 'SIGCONT');
  },
  'the API server is restarted': (berth) => berth.cluster.restartApiServer(),
} as const satisfies Readonly<Record<string, Mishap>>;

const SIZES = [
  ['500m', '1Gi'],
  ['900m', '700Mi'],
  ['1300m', '1500Mi'],
] as const;
const LATE = ['700m', '1Gi'] as const;

interface Burst {
  readonly name: string;
  readonly mishap: string;
  readonly moment: Moment;
  readonly pods: number;
  /** Whether the webhook is to give each pod the scheduling gate. */
  readonly isGated: boolean;
}

/** One burst named `name` of so many pods in three sizes, which breaks at the moment; as soon as it is mended, one more size comes. */
export async function measureMishap(
  berth: BerthCluster,
  { name, mishap, moment, pods: count, isGated }: Burst,
  strike: Mishap,
): Promise<MishapRow> {
  const world = new RealWorld(berth);
  const claimsBefore = new Set((await berth.cluster.api.list(NODE_CLAIMS)).items.map(nameOf));
  const ours = async (): Promise<readonly SeenPod[]> =>
    (await world.pods()).filter(({ labels }) => labels['app']?.startsWith(`${name}-`) === true);
  const each = Math.ceil(count / (SIZES.length + 1));
  const apply = (sizes: readonly (readonly [cpu: string, memory: string])[], kind: string): Promise<void> =>
    world.apply(
      sizes.map(([cpu, memory], index) =>
        deployment({ name: `${name}-${kind}${String(index)}`, replicas: each, requests: { cpu, memory } }),
      ),
    );
  await apply(SIZES, 'early');
  await world.until('all pods are created', async () => (await ours()).length === each * SIZES.length, 60);
  await world.until(`there is a ${moment}`, () => isThere(berth, moment, { name, claimsBefore }), 120);
  const held = await heldPlaces(berth);
  const failedBefore = await failedOpen(berth);
  const start = performance.now();
  await strike(berth);
  await apply([LATE], 'late');
  const wanted = each * (SIZES.length + 1);
  const bound = await world.until(
    'all pods are bound',
    async () => {
      const pods = await ours();
      return pods.length === wanted && pods.every(({ nodeName }) => nodeName !== undefined) && pods;
    },
    BOUND_WITHIN_SECONDS,
  );
  const seconds = Math.round((performance.now() - start) / 100) / 10;
  const plans = await berth.plans();
  const nodesOf = (uid: string): readonly (string | undefined)[] =>
    (plans.get(uid)?.targets ?? []).map((target) => berth.nodeOf(target));
  const claims = await world.until(
    'all claims have a node, or are gone',
    () => claimsWithNodes(berth, claimsBefore),
    CLAIMS_SETTLE_SECONDS,
  );
  const filled = new Set((await world.pods()).map(({ nodeName }) => nodeName));
  const ungated = await ungatedOf(berth, bound);
  const failed = await failedOpen(berth);
  const planned = isGated ? bound.filter(({ uid }) => !ungated.has(uid)) : bound;
  const alive = world.instances().filter(({ state }) => state === 'pending' || state === 'running');
  return {
    workload: `${name}: ${mishap}, once there is a ${moment}`,
    ...{ pods: wanted, seconds },
    boundElsewhere: planned.filter(({ uid, nodeName }) => !nodesOf(uid).includes(nodeName)).length,
    movedReservations: [...held].filter(([uid, target]) => plans.get(uid)?.targets.at(-1) !== target).length,
    bornEmpty: claims.filter(({ status }) => !filled.has(status?.nodeName)).length,
    ungated: ungated.size,
    // An API server that was restarted counts from 0.
    failedOpen: failed < failedBefore ? failed : failed - failedBefore,
    boughtTwice: alive.length - (claimsBefore.size + claims.length),
  };
}

function nameOf({ metadata }: { readonly metadata: { readonly name: string } }): string {
  return metadata.name;
}

async function claimsSince(
  berth: BerthCluster,
  claimsBefore: ReadonlySet<string>,
): Promise<readonly NodeClaim[]> {
  const { items } = await berth.cluster.api.list(NODE_CLAIMS);
  return items.filter((claim) => !claimsBefore.has(nameOf(claim)));
}

/**
 * The claims since then, once each has a node. A batch that ended with its leader leaves claims that no pod has room on yet: the next
 * one uses them, or they are given up before they are launched.
 */
async function claimsWithNodes(
  berth: BerthCluster,
  claimsBefore: ReadonlySet<string>,
): Promise<readonly NodeClaim[] | false> {
  const claims = await claimsSince(berth, claimsBefore);
  return claims.every(({ status }) => status?.nodeName !== undefined) && claims;
}

async function isThere(
  berth: BerthCluster,
  moment: Moment,
  { name, claimsBefore }: { readonly name: string; readonly claimsBefore: ReadonlySet<string> },
): Promise<boolean> {
  const { api } = berth.cluster;
  const claims = await claimsSince(berth, claimsBefore);
  switch (moment) {
    case 'claims':
      return claims.length > 0;
    case 'instances':
      return claims.some(({ status }) => status?.providerID !== undefined);
    case 'ready node':
      return claims.some(({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === 'Registered' && is === 'True'),
      );
    case 'bound pod':
      return (await api.list(PODS)).items.some(
        ({ metadata, spec }) => metadata.name.startsWith(`${name}-`) && spec.nodeName !== undefined,
      );
  }
}

/** Uids, by what the webhook wrote down; the gate itself is gone when a pod is bound. */
async function ungatedOf(berth: BerthCluster, pods: readonly SeenPod[]): Promise<ReadonlySet<string>> {
  const uids = new Set(pods.map(({ uid }) => uid));
  const { items } = await berth.cluster.api.list(PODS);
  const ungated = items.filter(
    ({ metadata: { uid, annotations } }) =>
      uids.has(uid) && annotations?.['berth.sh/stamped']?.includes('schedulingGate') !== true,
  );
  return new Set(ungated.map(({ metadata }) => metadata.uid));
}

/** Since the API server started. */
async function failedOpen(berth: BerthCluster): Promise<number> {
  const page = await berth.cluster.api.raw({ method: 'GET', path: '/metrics' });
  return metricSum(page, 'apiserver_admission_webhook_fail_open_count{type="admit"}');
}

/** Pod uid → target, of the pods that have room now. */
async function heldPlaces(berth: BerthCluster): Promise<ReadonlyMap<string, string>> {
  const { items } = await berth.cluster.api.list(RESERVATIONS);
  return new Map(
    items.flatMap(({ spec: { target, entries } }) =>
      entries.flatMap(({ podUID }) =>
        podUID === undefined ? [] : [[podUID, `${target.kind}/${target.name}`] as const],
      ),
    ),
  );
}
