/** Overlays in force over a catalogue, as policies come and go. */
import { Catalogue, catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import type { NodeClass } from '../../../src/domain/policies/node-class.js';
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { OverlaidCatalogue } from '../../../src/state/policies/overlaid-catalogue.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { nodeOverlayDocument } from '../../support/builders/node-overlay.js';
import {
  nodeClassDocument,
  policyConfigMap,
  policyDocument,
} from '../../support/builders/policy-document.js';
import { nodePoolDocument, policyStatus } from '../../support/builders/policy-status.js';

const CHEAP = { priceAdjustment: '-10%' };
const onPool = (name: string): JsonObject => ({
  requirements: [{ key: 'karpenter.sh/nodepool', operator: 'In', values: [name] }],
});

class World {
  readonly cluster = new Cluster();
  catalogue = catalogueFor('us-east-1', ['us-east-1a']);
  readonly overlaid = new OverlaidCatalogue({ cluster: this.cluster, catalogue: () => this.catalogue });

  policies(...documents: readonly JsonObject[]): this {
    const all = [nodePoolDocument('general'), nodePoolDocument('batch'), nodeClassDocument('default')];
    const read = [...all, ...documents].map((document) => policyDocument(document));
    this.cluster.put('PolicyConfigMap', policyConfigMap(read));
    return this;
  }

  types(pool = 'general'): readonly InstanceType[] {
    return this.overlaid.typesFor(this.nodeClass(), pool);
  }

  nodeClass(): NodeClass {
    const value = policyDocument(nodeClassDocument('default')).value;
    if (value?.kind !== 'EC2NodeClass') throw new Error('expected a node class');
    return value.nodeClass;
  }
}

function isChanged(types: readonly InstanceType[]): boolean {
  return types.some(({ offerings }) => offerings.some(({ listPrice }) => listPrice !== undefined));
}

describe('OverlaidCatalogue', () => {
  test('gives the catalogue’s own list while there are no overlays', () => {
    const world = new World().policies();
    expect(world.types()).toBe(world.catalogue.forNodeClass(world.nodeClass()));
  });

  test('gives a pool that requires dedicated instances their types, and others the usual ones', () => {
    const key = 'karpenter.k8s.aws/instance-tenancy';
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
    const requirements = [{ key, operator: 'In', values: ['dedicated'] }];
    const dedicated = nodePoolDocument('alone', { template: { spec: { requirements, nodeClassRef } } });
    const world = new World().policies(dedicated);
    const [usual, own] = [world.types(), world.types('alone')];
    expect(own).toBe(world.catalogue.forNodeClass(world.nodeClass(), 'dedicated'));
    expect(usual).toBe(world.catalogue.forNodeClass(world.nodeClass()));
    const [shared, alone] = [usual, own].map((types) => types.find(({ name }) => name === 'm5.large'));
    expect(alone?.labels.get(key)).toBe('dedicated');
    expect(alone?.offerings[0]?.price).toBeGreaterThan(shared?.offerings[0]?.price ?? Infinity);
  });

  test('gives a claim the types of its own tenancy, and overlays that name the tenancy concern these alone', () => {
    const key = 'karpenter.k8s.aws/instance-tenancy';
    const requirements = [{ key, operator: 'In', values: ['dedicated'] }];
    const world = new World().policies(nodeOverlayDocument('cheap', { requirements, ...CHEAP }));
    const typesFor = (labels: ReadonlyMap<string, string>): readonly InstanceType[] =>
      world.overlaid.typesOfClaim(world.nodeClass(), nodeClaim({ labels, spec: { nodePool: 'general' } }));
    const [usual, dedicated] = [new Map(), new Map([[key, 'dedicated']])].map(typesFor);
    expect([isChanged(usual ?? []), isChanged(dedicated ?? [])]).toEqual([false, true]);
    expect(typesFor(new Map([[key, 'dedicated']]))).toBe(dedicated);
  });

  test('sees overlays that contradict each other about dedicated instances alone', () => {
    const key = 'karpenter.k8s.aws/instance-tenancy';
    const requirements = [{ key, operator: 'In', values: ['dedicated'] }];
    const world = new World().policies(
      nodeOverlayDocument('a', { requirements, price: '0' }),
      nodeOverlayDocument('b', { requirements, ...CHEAP }),
    );
    expect(world.overlaid.conflicts()).toMatchObject([{ overlay: 'a', other: 'b' }]);
  });

  test('applies what is accepted, and no longer what is gone', () => {
    const world = new World().policies(nodeOverlayDocument('cheap', CHEAP));
    expect(isChanged(world.types())).toBe(true);
    world.policies();
    expect(isChanged(world.types())).toBe(false);
  });

  test('applies to the pools that are meant; pools of which the same is true share one list', () => {
    const world = new World().policies(nodeOverlayDocument('cheap', { ...onPool('general'), ...CHEAP }));
    expect(isChanged(world.types('general'))).toBe(true);
    expect(isChanged(world.types('batch'))).toBe(false);
    world.policies(nodeOverlayDocument('cheap', CHEAP));
    expect(world.types('general')).toBe(world.types('batch'));
  });

  test('gives the same objects whatever statuses are written, until policies or prices change', () => {
    const world = new World().policies(nodeOverlayDocument('cheap', CHEAP));
    const types = world.types();
    world.cluster.put('PolicyStatus', policyStatus({ resources: new Map([['nodes', 3]]) }));
    world.policies(nodeOverlayDocument('cheap', CHEAP));
    expect(world.types()).toBe(types);
    world.policies(nodeOverlayDocument('cheap', { priceAdjustment: '-11%' }));
    const cheaper = world.types();
    expect(cheaper).not.toBe(types);
    world.catalogue = catalogueFor('us-east-1', ['us-east-1a']);
    expect(world.types()).not.toBe(cheaper);
  });

  test('tells an unbounded label from a bounded one', () => {
    const cpu = (operator: string, ...values: readonly string[]): JsonObject =>
      nodeOverlayDocument('cheap', {
        requirements: [{ key: 'karpenter.k8s.aws/instance-cpu', operator, values }],
        ...CHEAP,
      });
    const world = new World().policies(cpu('Lt', '1'));
    expect(isChanged(world.types())).toBe(false);
    world.policies(cpu('Exists'));
    expect(isChanged(world.types())).toBe(true);
  });

  test('does not apply one that contradicts another of its weight, and says so', () => {
    const world = new World().policies(
      nodeOverlayDocument('a', { price: '0' }),
      nodeOverlayDocument('b', CHEAP),
    );
    expect(world.overlaid.conflicts()).toMatchObject([{ overlay: 'a', other: 'b' }]);
    const prices = world.types().flatMap(({ offerings }) => offerings.map(({ price }) => price));
    expect(Math.min(...prices)).toBeGreaterThan(0);
    world.policies(nodeOverlayDocument('a', { price: '0', weight: 1 }), nodeOverlayDocument('b', CHEAP));
    expect(world.overlaid.conflicts()).toEqual([]);
  });

  test('is not stopped by an overlay whose document has errors', () => {
    const world = new World();
    const broken = policyDocument(nodeOverlayDocument('broken', { price: 'x' }), { errors: ['bad'] });
    const good = policyDocument(nodeOverlayDocument('good', CHEAP));
    const base = [nodePoolDocument('general'), nodeClassDocument('default')].map((item) =>
      policyDocument(item),
    );
    world.cluster.put('PolicyConfigMap', policyConfigMap([...base, broken, good]));
    expect(isChanged(world.types())).toBe(true);
  });

  test('knows nothing of a catalogue without types', () => {
    const world = new World().policies(nodeOverlayDocument('cheap', CHEAP));
    world.catalogue = new Catalogue({ region: 'us-east-1', entries: [] });
    expect(world.types()).toEqual([]);
  });
});
