/** Which overlays hold where several want different things. */
import { CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE } from '../../../src/domain/values/labels.js';
import { decideOverlays, describeConflict } from '../../../src/domain/nodes/overlay-conflicts.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { instanceType, ZONE_A, ZONE_B } from '../../support/builders/instance-type.js';
import { nodeOverlay, type NodeOverlayOverrides } from '../../support/builders/node-overlay.js';

const TYPES = [instanceType({ name: 'm5.large' }), instanceType({ name: 'c5.large' })];
const POOLS = ['web', 'batch'].map((name) => ({ pool: { name, labels: new Map() }, types: TYPES }));
const dearer = { kind: 'percentage', value: 10 } as const;
const cheaper = { kind: 'percentage', value: -10 } as const;

function decide(left: NodeOverlayOverrides, right: NodeOverlayOverrides, pools = POOLS) {
  return decideOverlays([nodeOverlay({ name: 'a', ...left }), nodeOverlay({ name: 'b', ...right })], pools);
}

const only = (key: string, value: string): NodeOverlayOverrides['requirements'] & object => [
  requirement(key, 'In', [value]),
];

describe('decideOverlays', () => {
  test('refuses the earlier name of two that want another price for one type at one weight', () => {
    const { inForce, conflicts } = decide({ price: dearer }, { price: cheaper });
    expect(inForce.map(({ name }) => name)).toEqual(['b']);
    expect(conflicts).toEqual([{ overlay: 'a', other: 'b', about: 'price', instanceType: 'm5.large' }]);
    expect(conflicts.map(describeConflict)).toEqual([
      'NodeOverlay b has the same weight and wants another price for m5.large: that one holds, and this one is not applied',
    ]);
  });

  test('refuses another amount of one resource, whichever offerings the two are about', () => {
    const { conflicts } = decide(
      { requirements: only(ZONE, ZONE_A), capacity: { 'x/y': '1' } },
      { requirements: only(ZONE, ZONE_B), capacity: { 'x/y': '2' } },
    );
    expect(conflicts).toMatchObject([{ overlay: 'a', about: 'x/y' }]);
  });

  test.each<[string, NodeOverlayOverrides, NodeOverlayOverrides]>([
    ['have other weights', { weight: 1, price: dearer }, { price: cheaper }],
    ['want the same', { price: dearer }, { price: dearer }],
    ['are about other things', { price: dearer }, { capacity: { 'x/y': '1' } }],
    ['have other resources', { capacity: { 'x/y': '1' } }, { capacity: { 'x/z': '2' } }],
    [
      'mean other types',
      { price: dearer, requirements: only(INSTANCE_TYPE, 'm5.large') },
      { price: cheaper, requirements: only('karpenter.k8s.aws/instance-family', 'c5') },
    ],
    [
      'mean other offerings',
      { price: dearer, requirements: only(CAPACITY_TYPE, 'spot') },
      { price: cheaper, requirements: only(CAPACITY_TYPE, 'on-demand') },
    ],
    [
      'mean other pools',
      { price: dearer, requirements: only(NODEPOOL, 'web') },
      { price: cheaper, requirements: only(NODEPOOL, 'batch') },
    ],
    [
      'meet only in types that no pool has',
      { price: dearer, requirements: only(INSTANCE_TYPE, 'r5.large') },
      { price: cheaper },
    ],
  ])('keeps two that %s', (_, left, right) => {
    const { inForce, conflicts } = decide(left, right);
    expect(inForce).toHaveLength(2);
    expect(conflicts).toEqual([]);
  });

  test('lets one that is refused affect no other', () => {
    const overlays = [
      nodeOverlay({ name: 'c', price: cheaper, requirements: only(INSTANCE_TYPE, 'm5.large') }),
      nodeOverlay({ name: 'b', price: dearer }),
      nodeOverlay({ name: 'a', price: cheaper, requirements: only(INSTANCE_TYPE, 'c5.large') }),
    ];
    const { inForce, conflicts } = decideOverlays(overlays, POOLS);
    expect(inForce.map(({ name }) => name)).toEqual(['c', 'a']);
    expect(conflicts.map(({ overlay }) => overlay)).toEqual(['b']);
  });

  test('decides the same in whatever order the documents come', () => {
    const overlays = ['a', 'b', 'c'].map((name, index) =>
      nodeOverlay({ name, price: { kind: 'difference', value: index } }),
    );
    expect(decideOverlays([...overlays].reverse(), POOLS)).toEqual(decideOverlays(overlays, POOLS));
  });
});
