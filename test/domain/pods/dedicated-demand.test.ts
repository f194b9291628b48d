import { asksForDedicated } from '../../../src/domain/pods/dedicated-demand.js';
import { requirement, type Requirement } from '../../../src/domain/values/requirement.js';
import { nodeTerm, oneOf, requiredTerms } from '../../support/builders/constraints.js';
import { podSpec, type PodOverrides } from '../../support/builders/pod.js';

const TENANCY = 'karpenter.k8s.aws/instance-tenancy';

test.each<[string, PodOverrides, boolean]>([
  ['says nothing', {}, false],
  ['selects another label', { nodeSelector: { team: 'red' } }, false],
  ['selects them', { nodeSelector: { [TENANCY]: 'dedicated' } }, true],
  ['selects the usual tenancy', { nodeSelector: { [TENANCY]: 'default' } }, false],
  ['requires them in one of its terms', inTerms([oneOf('team', 'red')], [oneOf(TENANCY, 'dedicated')]), true],
  ['requires either', inTerms([oneOf(TENANCY, 'default', 'dedicated')]), false],
  ['excludes the usual tenancy', inTerms([requirement(TENANCY, 'NotIn', ['default'])]), true],
  ['wants a host of its own', inTerms([oneOf(TENANCY, 'host')]), false],
  [
    'prefers them',
    { nodeAffinity: { preferred: [{ weight: 1, term: nodeTerm(oneOf(TENANCY, 'dedicated')) }] } },
    true,
  ],
])('whether a pod that %s asks for dedicated instances', (_, overrides, isAsking) => {
  expect(asksForDedicated(podSpec(overrides))).toBe(isAsking);
});

function inTerms(...terms: readonly (readonly Requirement[])[]): PodOverrides {
  return { nodeAffinity: requiredTerms(...terms.map((term) => nodeTerm(...term))) };
}
