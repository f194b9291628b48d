/** Spec keys: equal for specs that ask the same, different for any difference that scheduling sees. */
import { specKey } from '../../../src/planning/snapshot/spec-key.js';
import { tolerateKey } from '../../support/builders/constraints.js';
import { podSpec, type PodSpecOverrides } from '../../support/builders/pod.js';
import { DIFFERENT_SPECS } from './different-specs.js';

describe('specKey', () => {
  test('tells any two specs apart that ask something different', () => {
    const keys = DIFFERENT_SPECS.map((overrides) => specKey(podSpec(overrides)));
    expect(new Set(keys).size).toBe(DIFFERENT_SPECS.length);
  });

  test.each<[string, PodSpecOverrides, PodSpecOverrides]>([
    ['labels', { labels: { a: '1', b: '2' } }, { labels: { b: '2', a: '1' } }],
    ['requests', { requests: { 'x/y': '1', cpu: '1' } }, { requests: { cpu: '1000m', 'x/y': '1' } }],
    ['selectors', { nodeSelector: { a: '1', b: '2' } }, { nodeSelector: { b: '2', a: '1' } }],
    [
      'tolerations',
      { tolerations: [tolerateKey('a'), tolerateKey('b')] },
      { tolerations: [tolerateKey('b'), tolerateKey('a')] },
    ],
  ])('does not look at the order of %s', (_, left, right) => {
    expect(specKey(podSpec(left))).toBe(specKey(podSpec(right)));
  });

  test('does not look at the name of the scheduler, which has been chosen by then', () => {
    expect(specKey(podSpec({ schedulerName: 'berth-scheduler' }))).toBe(specKey(podSpec()));
  });
});
