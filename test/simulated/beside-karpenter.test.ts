/** What a Karpenter in the same cluster would take for its own, restated from its rules: nothing of Berth's is among it. */
import { join } from 'node:path';
import { folderManifests } from '../../world/demo/manifests/manifest-set.js';
import { NODE_FILES } from '../../src/app/process-io.js';
import type { SimulatedInstance } from '../../world/aws/ec2/instances/instance.js';
import type { KubeObject } from '../../world/kubernetes/objects/kube-object.js';
import { Scenario } from '../scenario/scenario.js';
import type { Manifest } from '../scenario/world.js';
import { SimulatedWorld } from './simulated-world.js';

const CLUSTER = 'berth-demo';
const NODE_CLASS = 'karpenter.k8s.aws/ec2nodeclass';
const NODE_POOL = 'karpenter.sh/nodepool';

/** Karpenter lists the instances that have both of its tags and its cluster's, and ends those without a NodeClaim of its own. */
function isKarpenters({ tags }: Pick<SimulatedInstance, 'tags'>): boolean {
  return tags.has(NODE_POOL) && tags.has(NODE_CLASS) && tags.get('eks:eks-cluster-name') === CLUSTER;
}

/** A node is Karpenter's when it has the label of its node class; its finalizer would be waited for by nobody else. */
function isManagedByKarpenter({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return (
    metadata.labels?.[NODE_CLASS] !== undefined ||
    (metadata.finalizers ?? []).includes('karpenter.sh/termination')
  );
}

test("Karpenter's own filters match none of Berth's instances, nodes and claims", async () => {
  const world = await SimulatedWorld.start();
  for (const folder of ['shared', 'flexible'])
    await world.apply(folderManifests(join('manifests/examples', folder), NODE_FILES) as readonly Manifest[]);
  await new Scenario(world).expectScheduled({ app: 'api', pods: 9 });
  const instances = world.aws.instances();
  const objects = ['nodes', 'nodeclaims.berth.sh'].flatMap((resource) => world.api.list(resource));
  await world.close();
  expect(instances).toHaveLength(3);
  expect(objects).toHaveLength(6);
  expect(instances.filter(isKarpenters)).toEqual([]);
  for (const { tags } of instances)
    for (const tag of [NODE_POOL, NODE_CLASS, 'eks:eks-cluster-name']) expect(tags.has(tag)).toBe(false);
  expect(objects.filter(isManagedByKarpenter)).toEqual([]);
});

test('the filters do match what Karpenter makes', () => {
  const tags = new Map([
    [NODE_POOL, 'default'],
    [NODE_CLASS, 'default'],
    ['eks:eks-cluster-name', CLUSTER],
  ]);
  expect(isKarpenters({ tags })).toBe(true);
  const metadata = {
    name: 'node-1',
    uid: 'uid',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { [NODE_CLASS]: 'default' },
  };
  expect(isManagedByKarpenter({ metadata })).toBe(true);
});
