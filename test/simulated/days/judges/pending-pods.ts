/** Pods without a node when the day is over and everything has calmed down. */
import type { Pod } from '../../../../world/cluster/objects.js';
import { podRequests } from '../../../../world/scheduler/filters/pod-requests.js';
import { CPU } from '../../../../src/domain/values/resources.js';
import { coresOf, runningInstances } from '../record/instances.js';
import { POOL } from '../record/raw.js';
import type { Bench } from './judge.js';

/** How many there are for which there could be a node: the limits of the pools that they may use leave room for one. */
export function pendingPods({ world, stage }: Bench): number {
  const left = new Map(
    stage.pools.map(({ name, cpuLimit = Infinity }) => [
      name,
      cpuLimit - coresOf(world, runningInstances(world, name)),
    ]),
  );
  const sizes = world.catalogue.entries.map(({ facts }) => facts.vcpu * 1000);
  return (world.api.list('pods') as readonly Pod[])
    .filter(({ spec }) => spec.nodeName === undefined)
    .filter((pod) => {
      const pool = pod.spec.nodeSelector?.[POOL];
      const asked = podRequests(pod).get(CPU) ?? 0;
      const most = Math.max(...(pool === undefined ? left.values() : [left.get(pool) ?? 0]));
      // kube-reserved is a part of every node.
      return sizes.some((size) => size > asked && size <= 1000 * most);
    }).length;
}
