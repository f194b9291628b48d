/** NodeOverlays in a running cluster: what is launched, what is written down, what consolidation makes of a change. */
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import { nodeOverlayDocument } from '../../support/builders/node-overlay.js';
import { policyConfigMap, policyDocument } from '../../support/builders/policy-document.js';
import { DisruptionWorld } from './disruption-world.js';

const POOL = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } };
const SMALL = { requests: { cpu: '1500m', memory: '1Gi' } };

function overlaid(world: DisruptionWorld, ...overlays: readonly JsonObject[]): void {
  const source = { configMap: 'overlays', key: 'overlays.yaml' };
  const documents = overlays.map((document) => policyDocument(document, { source }));
  world.objects.put('PolicyConfigMap', policyConfigMap(documents, { name: 'overlays' }));
}

const onFamily = (family: string): JsonObject => ({
  requirements: [{ key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: [family] }],
});

async function settled(world: DisruptionWorld): Promise<void> {
  expect(await world.until(() => world.claims().length > 0 && world.unbound().length === 0)).toBeLessThan(60);
  await world.pass(60);
}

describe('NodeOverlays in a cluster', () => {
  test('decide what is launched; what a node costs is written down as it is paid', async () => {
    const world = new DisruptionWorld(POOL);
    overlaid(world, nodeOverlayDocument('paid', { ...onFamily('m5'), price: '0.01' }));
    world.start();
    world.deploy('web', 1, SMALL);
    await settled(world);
    expect(world.claims().map(({ status }) => [status.instanceType, status.hourlyPrice])).toEqual([
      ['m5.large', 0.096],
    ]);
  });

  test('have a node replaced once they make another one cheaper, and back, and then leave it alone', async () => {
    const world = new DisruptionWorld(POOL);
    world.start();
    world.deploy('web', 1, SMALL);
    await settled(world);
    expect(world.instanceTypes()).toEqual(['c5.large']);
    overlaid(world, nodeOverlayDocument('licence', { ...onFamily('c5'), priceAdjustment: '+1' }));
    expect(await world.until(() => world.instanceTypes().join() === 'm5.large')).toBeLessThan(300);
    overlaid(world);
    // A ninth of the price is saved, which pays for the move once the node has been quiet for about an hour.
    await world.pass(3600);
    expect(await world.until(() => world.instanceTypes().join() === 'c5.large')).toBeLessThan(300);
    const [claim] = world.claims();
    await world.pass(120);
    expect(world.claims().map(({ name }) => name)).toEqual([claim?.name]);
  });

  test('have nodes that cost nothing left alone, and more expensive ones replaced by them', async () => {
    const world = new DisruptionWorld(POOL);
    world.start();
    world.deploy('web', 3, SMALL);
    await settled(world);
    overlaid(world, nodeOverlayDocument('paid', { ...onFamily('m5'), price: '0' }));
    const isFree = (): boolean => world.instanceTypes().every((type) => type?.startsWith('m5.') === true);
    expect(await world.until(isFree)).toBeLessThan(600);
    await world.pass(60);
    const names = world.claims().map(({ name }) => name);
    await world.pass(180);
    expect(world.claims().map(({ name }) => name)).toEqual(names);
    expect(world.unbound()).toEqual([]);
  });

  test('give pods an instance for what they add, and none to others while it is on its way', async () => {
    const world = new DisruptionWorld(POOL);
    const slices = { 'acme.io/slice': 4 };
    overlaid(world, nodeOverlayDocument('slices', { ...onFamily('m5'), capacity: slices }));
    world.start();
    world.deploy('slice', 1, { requests: { cpu: '100m', 'acme.io/slice': '1' } });
    await world.pass(10);
    world.deploy('more', 2, { requests: { cpu: '100m', 'acme.io/slice': '1' } });
    await world.pass(10);
    expect(world.instanceTypes()).toEqual(['m5.large']);
    const [claim] = world.claims();
    expect(claim?.status.allocatable.get('acme.io/slice')).toBe(4);
  });
});
