/** Nodes older than the expireAfter of their NodeClaims. */
import { wantedState } from '../../../../../src/controllers/disruption/conditions/claim-state.js';
import { expiresAt } from '../../../../../src/domain/nodes/node-claim.js';
import { selecting } from '../../../../support/builders/constraints.js';
import {
  fleet,
  NOW,
  podDisruptionBudget,
  withClaimCondition,
} from '../../../../support/builders/disruption-input.js';
import { nodeClaim } from '../../../../support/builders/node-claim.js';
import { observedNode } from '../../../../support/builders/observed-node.js';
import { observedFacts } from '../../conditions.js';
import type { Suite } from '../../fact.js';
import { answerTo, going, SMALL, staying, wasteful } from '../../fleets.js';

const EXPIRED = { expiresAt: NOW - 1000 };
/** Nothing is consolidated: what goes has expired. */
const EXPIRATION_ALONE = { consolidateAfterSeconds: undefined };
const NONE = [{ nodes: { count: 0 }, reasons: undefined, window: undefined }];
const BORN = Date.UTC(2026, 0, 1);

export const EXPIRATION: Suite = {
  name: 'Expiration',
  facts: [
    {
      fact: 'removes a node whose time is over, and none whose time is not',
      run: (): void => {
        const nodes = [wasteful('a', EXPIRED), wasteful('b', { expiresAt: NOW + 1 })];
        expect(going(fleet(nodes, { terms: EXPIRATION_ALONE }))).toEqual(['Expired a']);
      },
    },
    {
      fact: 'never removes a node with expireAfter Never',
      run: (): void => {
        const never = nodeClaim({ spec: { expireAfterSeconds: undefined }, createdAt: 0 });
        expect(expiresAt(never)).toBeUndefined();
        const input = fleet([wasteful('a', { expiresAt: expiresAt(never), createdAt: 0 })], {
          terms: EXPIRATION_ALONE,
        });
        expect(going(input)).toEqual([]);
      },
    },
    {
      fact: 'counts from the creation of the NodeClaim, however young its Node is, and looks again when the time is over',
      run: (): void => {
        const node = observedNode({ createdAt: BORN + 299_000 });
        const at = (seconds: number) => {
          const now = BORN + seconds * 1000;
          return wantedState(
            observedFacts({ spec: { expireAfterSeconds: 300 } }, { node, now, pool: undefined }),
          );
        };
        const isExpired = (seconds: number): boolean =>
          at(seconds).conditions.some(({ type, status }) => type === 'Expired' && status === 'True');
        expect([isExpired(299), isExpired(300)]).toEqual([false, true]);
        expect(at(100).nextAt).toBe(BORN + 300_000);
      },
    },
    {
      fact: 'does not wait for disruption budgets',
      run: (): void => {
        const terms = { ...EXPIRATION_ALONE, budgets: NONE };
        expect(going(fleet([wasteful('a', EXPIRED)], { terms }))).toEqual(['Expired a']);
        expect(going(fleet([wasteful('a', withClaimCondition('Drifted'))], { terms }))).toEqual([]);
      },
    },
    {
      fact: 'does not wait for pods: neither do-not-disrupt nor PodDisruptionBudgets keep an expired node',
      run: (): void => {
        const protectedPod = { ...SMALL, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
        const guarded = { ...SMALL, labels: { app: 'web' } };
        const podDisruptionBudgets = [
          podDisruptionBudget({
            selector: selecting({ app: 'web' }),
            maxUnavailable: { unit: 'pods', amount: 0 },
          }),
        ];
        const nodes = [
          wasteful('a', { ...EXPIRED, doNotDisrupt: 'true' }, [protectedPod]),
          wasteful('b', EXPIRED, [guarded]),
        ];
        const input = fleet(nodes, { terms: EXPIRATION_ALONE, podDisruptionBudgets });
        expect(going(input)).toEqual(['Expired a', 'Expired b']);
      },
    },
    {
      fact: 'does not expire a node twice: one that goes already is left',
      run: (): void => {
        expect(going(fleet([wasteful('a', { ...EXPIRED, leaving: true })]))).toEqual([]);
        expect(going(fleet([wasteful('a', EXPIRED)]))).toEqual(['Expired a']);
      },
    },
    {
      fact: 'deletes an expired node at once, and launches for its pods when they are evicted',
      differs:
        'what takes its pods is launched first and awaited for up to ten minutes, so that pods move to a node that is ready',
      run: (): void => {
        const { commands } = answerTo(fleet([wasteful('a', EXPIRED)], { terms: EXPIRATION_ALONE }));
        expect(commands).toMatchObject([
          { reason: 'Expired', claims: [{ pods: ['default/a-0'] }], unplaced: [] },
        ]);
      },
    },
    {
      fact: 'deletes an expired node whose NodePool does not exist any more',
      differs:
        'a NodePool whose document is gone is frozen: its nodes stay, because nothing could be launched for their pods, until its PolicyStatus is annotated berth.sh/delete: drain',
      run: (): void => {
        const input = fleet([wasteful('a', EXPIRED)], { frozenPools: new Set(['default']) });
        expect(going(input)).toEqual([]);
        expect(staying(input)).toContain('a Expired NodePoolFrozen');
      },
    },
  ],
};
