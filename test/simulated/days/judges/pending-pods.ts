/** Pods without a node when the day is over and everything has calmed down. */
import type { Pod } from '../../../../world/cluster/objects.js';
import { parseQuantity, toMillis } from '../../../../src/domain/values/quantity.js';
import { POOL } from '../record/raw.js';
import type { Bench } from './judge.js';
import { coresOf } from './limit-overruns.js';

/** How many there are for which there could be a node: the limits of the pools that they may use leave room for one. */
export function pendingPods({ world, stage }: Bench): number {
  const left = new Map(
    stage.pools.map(({ name, cpuLimit = Infinity }) => {
      const own = world.aws.instances().filter(({ tags }) => tags.get('berth.sh/nodepool') === name);
      return [name, cpuLimit - coresOf(world, own)];
    }),
  );
  const sizes = world.catalogue.entries.map(({ facts }) => facts.vcpu);
  return (world.api.list('pods') as readonly Pod[])
    .filter(({ spec }) => spec.nodeName === undefined)
    .filter(({ spec }) => {
      const pool = spec.nodeSelector?.[POOL];
      const most = Math.max(...(pool === undefined ? left.values() : [left.get(pool) ?? 0]));
      // kube-reserved is a part of every node.
      return sizes.some((size) => size > coresAskedFor(spec) && size <= most);
    }).length;
}

function coresAskedFor({ containers }: Pod['spec']): number {
  const millis = containers.map(({ resources }) =>
    toMillis(parseQuantity(String(resources?.requests?.['cpu'] ?? 0))),
  );
  return millis.reduce((sum, each) => sum + each, 0) / 1000;
}
