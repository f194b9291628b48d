/** What nodes say of the volumes that can be attached, for types of nodes yet to come. */
import { INSTANCE_TYPE, NODEPOOL } from '../../../src/domain/values/labels.js';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { ObservedVolumeLimits } from '../../../src/state/nodes/observed-volume-limits.js';
import { instanceType } from '../../support/builders/instance-type.js';
import { observedNode } from '../../support/builders/observed-node.js';

const EBS = 'ebs.csi.aws.com';
const TYPES = [
  instanceType({ name: 'm5.large', volumeLimits: { [EBS]: 25 } }),
  instanceType({ name: 'm5.xlarge', volumeLimits: { [EBS]: 25 } }),
];

let version = 1;

function said(name: string, limit: number, { pool = 'general', createdAt = 0 } = {}) {
  return observedNode({
    ...{ name, createdAt, volumeLimits: { [EBS]: limit }, resourceVersion: String(version++) },
    labels: { [NODEPOOL]: pool, [INSTANCE_TYPE]: 'm5.large' },
  });
}

function limits(types: readonly InstanceType[]): readonly (number | undefined)[] {
  return types.map(({ volumeLimits }) => volumeLimits?.get(EBS));
}

describe('ObservedVolumeLimits', () => {
  test('what a node of the pool says holds for its type in place of what was expected, in that pool alone', () => {
    const cluster = new Cluster();
    cluster.put('Node', said('a', 20));
    const observed = new ObservedVolumeLimits(cluster);
    expect(limits(observed.of(TYPES, 'general'))).toEqual([20, 25]);
    expect(observed.of(TYPES, 'batch')).toBe(TYPES);
  });

  test('the newest node counts, also after it went', () => {
    const cluster = new Cluster();
    const observed = new ObservedVolumeLimits(cluster);
    cluster.put('Node', said('new', 26, { createdAt: 2 }));
    cluster.put('Node', said('old', 23, { createdAt: 1 }));
    expect(limits(observed.of(TYPES, 'general'))).toEqual([26, 25]);
    cluster.delete('Node', 'new');
    expect(limits(observed.of(TYPES, 'general'))).toEqual([26, 25]);
  });

  test('types are the same objects while nodes say what is known', () => {
    const cluster = new Cluster();
    const observed = new ObservedVolumeLimits(cluster);
    cluster.put('Node', said('a', 20));
    const before = observed.of(TYPES, 'general');
    cluster.put('Node', said('b', 20, { createdAt: 1 }));
    expect(observed.of(TYPES, 'general')).toBe(before);
    cluster.put('Node', said('c', 25, { createdAt: 2 }));
    expect(observed.of(TYPES, 'general')[0]).toBe(TYPES[0]);
  });
});
