/** Pods without a node when the day is over and everything has calmed down. */
import type { Pod } from '../../../../world/cluster/objects.js';
import { isLeaving, POOL, type RawClaim } from '../record/raw.js';
import type { Bench } from './judge.js';
import { coresOf } from './limit-overruns.js';
import { isKept } from './stuck-nodes.js';

/** How many there are for which Berth could have found a place. */
export function pendingPods(bench: Bench): number {
  const closed = new Set(bench.stage.pools.map(({ name }) => name).filter((name) => isClosed(bench, name)));
  return (bench.world.api.list('pods') as readonly Pod[])
    .filter(({ spec }) => spec.nodeName === undefined)
    .filter((pod) => poolsOf(bench, pod).some((name) => !closed.has(name))).length;
}

function poolsOf({ stage }: Bench, { spec }: Pod): readonly string[] {
  const selected = spec.nodeSelector?.[POOL];
  return selected === undefined ? stage.pools.map(({ name }) => name) : [selected];
}

/**
 * Whether the limit of the pool is taken by nodes of which some go and are kept by pods that nobody may evict: as in Karpenter they count
 * until they are gone, and a roll-out that waits for room keeps its old pods meanwhile. Only a person can mend that.
 */
function isClosed(bench: Bench, nodePool: string): boolean {
  const { world, stage } = bench;
  const limit = stage.pools.find(({ name }) => name === nodePool)?.cpuLimit ?? Infinity;
  const instances = world.aws.instances().filter(({ tags }) => tags.get('berth.sh/nodepool') === nodePool);
  const smallest = Math.min(...world.catalogue.entries.map(({ facts }) => facts.vcpu));
  if (coresOf(world, instances) + smallest <= limit) return false;
  return (world.api.list('nodeclaims.berth.sh') as readonly RawClaim[])
    .filter((claim) => claim.spec.nodePool === nodePool && isLeaving(claim))
    .some(({ status }) => isKept(bench, status?.nodeName));
}
