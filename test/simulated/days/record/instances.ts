/** What EC2 runs, by its own record. */
import type { SimulatedInstance } from '../../../../world/aws/ec2/instances/instance.js';
import type { SimulatedWorld } from '../../simulated-world.js';

/** Those that run, or are about to; of a NodePool alone where one is given. */
export function runningInstances({ aws }: SimulatedWorld, nodePool?: string): readonly SimulatedInstance[] {
  return aws
    .instances()
    .filter(({ state }) => state === 'pending' || state === 'running')
    .filter(({ tags }) => nodePool === undefined || tags.get('berth.sh/nodepool') === nodePool);
}

/** vCPUs in all. */
export function coresOf({ catalogue }: SimulatedWorld, instances: readonly SimulatedInstance[]): number {
  const cores = new Map(catalogue.entries.map(({ facts }) => [facts.name, facts.vcpu]));
  return instances.reduce((sum, { instanceType }) => sum + (cores.get(instanceType) ?? 0), 0);
}
