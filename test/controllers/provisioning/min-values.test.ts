/** What becomes of pods for which no NodePool has as many values as its minValues asks for. */
import { INSTANCE_TYPE } from '../../../src/domain/values/labels.js';
import type { MinValuesPolicy } from '../../../src/controllers/provisioning/relaxed-min-values.js';
import { nodePoolDocument } from '../../support/builders/policy-status.js';
import { unschedulablePod } from '../../support/builders/unschedulable-pod.js';
import { ProvisioningWorld } from './provisioning-world.js';

/** Two batches: what the first puts off is planned in the next. */
const BATCHES_MILLIS = 2200;
const RELAXED = 'karpenter.sh/nodeclaim-min-values-relaxed';

/** A pool that asks for three of four instance types, two of which hold `large`, which needs more than two vCPUs. */
async function planned(minValuesPolicy: MinValuesPolicy): Promise<ProvisioningWorld> {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const requirements = [{ key: INSTANCE_TYPE, operator: 'Exists', minValues: 3 }];
  const template = { spec: { requirements, nodeClassRef } };
  const world = new ProvisioningWorld([nodePoolDocument('general', { template })]);
  world.start(undefined, { minValuesPolicy });
  world.pods([
    unschedulablePod({ name: 'small', requests: { cpu: '1' } }),
    unschedulablePod({ name: 'large', requests: { cpu: '3' } }),
  ]);
  await world.clock.advance(BATCHES_MILLIS);
  return world;
}

/** minValues of instance types, whether it was relaxed, and the number of types, of each claim. */
function kept(world: ProvisioningWorld): readonly unknown[] {
  return world.claims().map(({ annotations, spec: { requirements } }) => {
    const types = requirements.find(({ key }) => key === INSTANCE_TYPE);
    return [types?.minValues, annotations.get(RELAXED), types?.values.size];
  });
}

describe('minValuesPolicy', () => {
  test('Strict refuses the pod, and says how far it is', async () => {
    const world = await planned('Strict');
    expect(world.heldPods()).toEqual(['uid-default-small']);
    expect(world.told.decisions).toContainEqual(
      expect.objectContaining({ action: 'Refuse', reason: 'MinValues' }),
    );
  });

  test('BestEffort launches a node with as many values as there are for a pod that no NodePool has enough for', async () => {
    const world = await planned('BestEffort');
    expect([...world.heldPods()].sort()).toEqual(['uid-default-large', 'uid-default-small']);
    expect(kept(world)).toEqual([
      [3, undefined, 4],
      [2, 'true', 2],
    ]);
    expect(world.told.decisions.filter(({ action }) => action === 'Refuse')).toEqual([]);
    const created = await world.metrics.registry.getSingleMetricAsString(
      'karpenter_nodeclaims_created_total',
    );
    expect(created).toMatch(/min_values_relaxed="true"} 1$/m);
    expect(created).toMatch(/min_values_relaxed="false"} 1$/m);
  });

  test('BestEffort refuses a pod that fewer values do not help, either, and plans the others as ever', async () => {
    const world = await planned('BestEffort');
    world.pods([
      unschedulablePod({ name: 'huge', requests: { cpu: '64' } }),
      unschedulablePod({ name: 'next', requests: { cpu: '1500m' } }),
    ]);
    await world.clock.advance(BATCHES_MILLIS);
    expect(world.heldPods()).toContain('uid-default-next');
    expect(world.told.decisions.filter(({ action }) => action === 'Refuse')).toMatchObject([
      { subject: { name: 'huge' }, reason: 'InsufficientResource' },
    ]);
  });
});
