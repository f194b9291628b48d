/** CapacityBuffers in a whole cluster: their templates, the nodes that are kept for them, and what their status says. */
import type { CapacityBuffer } from '../../../src/domain/pods/capacity-buffer.js';
import { capacityBuffer } from '../../support/builders/capacity-buffer.js';
import { pod, type PodOverrides } from '../../support/builders/pod.js';
import { DisruptionWorld } from '../disruption/disruption-world.js';

/** More than half of the smallest type of the pool. */
export const ALONE = { requests: { cpu: '1500m' } };
export const ANYTIME = { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] };
const REQUIREMENTS = [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] }];
const TEMPLATE = {
  spec: {
    requirements: REQUIREMENTS,
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
  },
};

/** A pool whose nodes have room for one such pod each, and which consolidates as soon as it may. */
export function bufferWorld(spec: Readonly<Record<string, unknown>> = {}): DisruptionWorld {
  return new DisruptionWorld({ disruption: ANYTIME, template: TEMPLATE, ...spec });
}

export function putTemplate(
  world: DisruptionWorld,
  key = 'PodTemplate/default/spare',
  template: PodOverrides = ALONE,
  replicas?: number,
): void {
  world.kube.bufferTemplates.set(key, { spec: pod(template).spec, generation: 1, replicas });
}

export function putBuffer(world: DisruptionWorld, overrides: Partial<CapacityBuffer> = {}): void {
  const key = `default/${overrides.name ?? 'spare'}`;
  const before = world.objects.get('CapacityBuffer', key);
  const generation = (before?.generation ?? 0) + 1;
  world.objects.put('CapacityBuffer', { ...capacityBuffer(), ...before, ...overrides, generation });
}

/** Once so many nodes are up, and no other claim is there, for a minute. */
export async function expectNodes(world: DisruptionWorld, nodes: number): Promise<readonly string[]> {
  const isSettled = (): boolean =>
    world.claimsWith('Initialized').length === nodes && world.claims().length === nodes;
  expect(await world.until(isSettled)).toBeLessThan(120);
  await world.pass(60);
  expect(isSettled()).toBe(true);
  return world
    .claims()
    .map(({ name }) => name)
    .sort();
}

/** `type status reason: message` of the buffer's conditions. */
export function conditions(world: DisruptionWorld, name = 'spare'): readonly string[] {
  const { status } = world.objects.get('CapacityBuffer', `default/${name}`) ?? capacityBuffer();
  return status.conditions.map(
    (condition) => `${condition.type} ${condition.status} ${condition.reason}: ${condition.message}`,
  );
}
