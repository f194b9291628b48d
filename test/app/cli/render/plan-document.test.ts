/** The plan as programs read it. */
import { planDocument } from '../../../../src/app/cli/render/plan/plan-document.js';
import { resourceList } from '../../../support/builders/resources.js';
import { describeReason } from '../../../../src/planning/describe-reason.js';
import { claim, plan } from './plan-builders.js';

describe('planDocument', () => {
  test('has the fields of the contract, in its order', () => {
    const document = planDocument(
      plan({
        placements: [
          { pod: 'default/web-0', target: { kind: 'NodeClaim', name: 'general-1' } },
          { pod: 'default/web-1', target: { kind: 'Node', name: 'node-a' } },
        ],
        unschedulable: [
          { pod: 'default/db-0', reasons: [{ nodePool: 'general', reason: { code: 'StaticPool' } }] },
        ],
        cost: { hourly: 0.1 + 0.2, lowerBound: 0.25, existingHourly: 1 },
      }),
      12.34567,
    );
    expect(JSON.stringify(document, undefined, 1)).toBe(
      JSON.stringify(
        {
          placements: [
            { pod: 'default/web-0', nodeClaim: 'general-1' },
            { pod: 'default/web-1', node: 'node-a' },
          ],
          nodeClaims: [
            {
              name: 'general-1',
              nodePool: 'general',
              instanceTypes: ['m7g.large', 'm6g.large'],
              zones: ['eu-west-3a', 'eu-west-3b'],
              capacityTypes: ['on-demand'],
              pods: ['default/web-0', 'default/web-1'],
              requests: { cpu: '965m', memory: '4Gi' },
              hourlyPrice: 0.0952,
              hourlyPriceMax: 0.12,
            },
          ],
          unschedulable: [
            {
              pod: 'default/db-0',
              reasons: [
                {
                  nodePool: 'general',
                  reason: describeReason({ code: 'StaticPool' }),
                },
              ],
            },
          ],
          cost: { hourly: 0.3, lowerBound: 0.25, existingHourly: 1 },
          solveMillis: 12.346,
        },
        undefined,
        1,
      ),
    );
  });

  test('names every requested resource but the count of pods, cpu and memory first', () => {
    const requests = resourceList({ pods: 3, 'nvidia.com/gpu': 2, 'ephemeral-storage': 2 ** 30, cpu: 500 });
    const [document] = planDocument(plan({ claims: [claim({ requests })] }), 1).nodeClaims;
    expect(Object.entries(document?.requests ?? {})).toEqual([
      ['cpu', '500m'],
      ['memory', '0'],
      ['ephemeral-storage', '1Gi'],
      ['nvidia.com/gpu', '2'],
    ]);
  });

  test('carries an absent lower bound as null', () => {
    expect(planDocument(plan(), 1).cost.lowerBound).toBeNull();
  });
});
