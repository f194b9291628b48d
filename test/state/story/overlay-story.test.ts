/** The story of a NodeOverlay. */
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { tellStory } from '../../../src/state/story/tell-story.js';
import { nodeOverlayDocument } from '../../support/builders/node-overlay.js';
import { acceptedPolicy, policyStatus } from '../../support/builders/policy-status.js';

function storyOf(spec: Readonly<Record<string, unknown>>) {
  const cluster = new Cluster();
  const lastAccepted = acceptedPolicy(nodeOverlayDocument('o', spec));
  cluster.put('PolicyStatus', policyStatus({ kind: 'NodeOverlay', policy: 'o', lastAccepted }));
  return tellStory(cluster, { kind: 'NodeOverlay', namespace: '', name: 'o' }, 0);
}

describe('the story of a NodeOverlay', () => {
  test.each([
    [{ price: '0.05' }, ['Prices', '0.05 USD/h']],
    [{ priceAdjustment: '+0.02' }, ['Prices', '+0.02 USD/h']],
    [{ priceAdjustment: '-15%' }, ['Prices', '-15 %']],
    [{ weight: 3 }, ['Weight', '3']],
    [{ capacity: { 'acme.io/slice': 4 } }, ['acme.io/slice', '4']],
  ])('of %j says so', (spec, fact) => {
    expect(storyOf(spec)?.facts.map(({ label, value }) => [label, value])).toContainEqual(fact);
  });

  test('speaks of no nodes, since none are made of it', () => {
    expect(storyOf({ price: '1' })?.facts.map(({ label }) => label)).toEqual(['ConfigMap', 'Prices']);
  });
});
