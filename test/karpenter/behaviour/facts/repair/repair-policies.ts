/** Which conditions of nodes call for repair, from when on, and by which policy. */
import { wantedState } from '../../../../../src/controllers/disruption/conditions/claim-state.js';
import {
  ailmentOf,
  repairOf,
  type Patient,
} from '../../../../../src/controllers/disruption/conditions/health.js';
import { drainSeconds } from '../../../../../src/domain/nodes/node-claim.js';
import type { NodeCondition } from '../../../../../src/domain/nodes/observed-node.js';
import { specificFirst, type RepairPolicy } from '../../../../../src/domain/policies/repair-policy.js';
import { isTrue } from '../../../../../src/domain/values/condition.js';
import { nodeClaim } from '../../../../support/builders/node-claim.js';
import { observedFacts } from '../../conditions.js';
import type { Suite } from '../../fact.js';
import { BORN, MINUTE, patient, policy } from '../../patients.js';

/** Whether the NodeClaim is Unhealthy so many minutes after its node turned bad. */
function isUnhealthy(
  minutes: number,
  sick: Patient,
  policies: readonly RepairPolicy[],
  up?: readonly string[],
): boolean {
  const known = { node: sick.node, repairPolicies: specificFirst(policies), now: BORN + minutes * MINUTE };
  return isTrue(wantedState(observedFacts({}, { ...known, ...(up && { up }) })).conditions, 'Unhealthy');
}

const FAST = policy({ reasons: ['FastFailure'], tolerationSeconds: 600 });

export const REPAIR_POLICIES: Suite = {
  name: 'Repair policies',
  facts: [
    {
      fact: 'tolerates a bad condition for as long as its policy says, and no longer',
      run: (): void => {
        const at = (minutes: number) => isUnhealthy(minutes, patient({}), [policy()]);
        expect([at(10), at(29), at(30)]).toEqual([false, false, true]);
      },
    },
    {
      fact: 'leaves nodes whose conditions are of another type or status than the policies name',
      run: (): void => {
        const after = (each: Partial<NodeCondition>) => isUnhealthy(600, patient(each), [policy()]);
        expect([after({ type: 'Other' }), after({ status: 'True' }), after({ status: 'Unknown' })]).toEqual([
          false,
          false,
          false,
        ]);
        expect(after({})).toBe(true);
      },
    },
    {
      fact: 'takes the policy that names the reason of the condition, and the one for every reason where none does',
      run: (): void => {
        const after = (reason: string) => isUnhealthy(11, patient({ reason }), [policy(), FAST]);
        expect([after('FastFailure'), after('Unknown')]).toEqual([true, false]);
        expect(isUnhealthy(31, patient({ reason: 'Unknown' }), [policy(), FAST])).toBe(true);
      },
    },
    {
      fact: 'waits for the policy that names the reason, though the one for every reason tolerates less',
      run: (): void => {
        const policies = [policy({ reasons: ['FastFailure'] }), policy({ tolerationSeconds: 0 })];
        expect(isUnhealthy(10, patient({ reason: 'FastFailure' }), policies)).toBe(false);
        expect(isUnhealthy(10, patient({ reason: 'Other' }), policies)).toBe(true);
      },
    },
    {
      fact: 'keeps the age of a condition of which only the reason changes',
      run: (): void => {
        const policies = [FAST, policy({ tolerationSeconds: 7200 })];
        expect(isUnhealthy(60, patient({ reason: 'Unknown' }), policies)).toBe(false);
        expect(isUnhealthy(60, patient({ reason: 'FastFailure' }), policies)).toBe(true);
      },
    },
    {
      fact: 'looks again when the first of several bad conditions is tolerated no longer',
      run: (): void => {
        const sick = patient({ type: 'Worse' }, {});
        const policies = [policy({ tolerationSeconds: 3600 }), policy({ conditionType: 'Worse' })];
        const facts = observedFacts(
          { spec: { expireAfterSeconds: undefined } },
          { node: sick.node, pool: undefined, repairPolicies: policies, now: BORN + 27 * MINUTE },
        );
        expect(wantedState(facts).nextAt).toBe(BORN + 30 * MINUTE);
      },
    },
    {
      fact: 'repairs a node that has registered and never initialized, and none that never registered',
      run: (): void => {
        const after = (up: readonly string[]) => isUnhealthy(31, patient({}), [policy()], up);
        expect([after(['Launched']), after(['Launched', 'Registered'])]).toEqual([false, true]);
      },
    },
    {
      fact: 'acts by the condition with the highest priority among those that are tolerated no longer',
      run: (): void => {
        const low = policy({ conditionType: 'Low', priority: 10 });
        const high = policy({ conditionType: 'High', priority: 90 });
        const later = policy({ conditionType: 'Later', priority: 100, tolerationSeconds: 7200 });
        const sick = patient({ type: 'Low' }, { type: 'High' }, { type: 'Later' });
        const at = (minutes: number) =>
          ailmentOf(sick, [low, high, later], BORN + minutes * MINUTE)?.condition.type;
        expect([at(31), at(121)]).toEqual(['High', 'Later']);
      },
    },
    {
      fact: 'drains for the shortest time of the policies that apply and of the NodeClaim, and 0s means not at all',
      run: (): void => {
        const bound = (...bounds: readonly number[]) => {
          const policies = bounds.map((terminationGracePeriodSeconds, index) =>
            policy({ conditionType: `Bad${String(index)}`, terminationGracePeriodSeconds }),
          );
          const sick = patient(...policies.map(({ conditionType: type }) => ({ type })));
          return repairOf(sick, policies, BORN + 31 * MINUTE)?.terminationGracePeriodSeconds;
        };
        expect([bound(900, 300), bound(900, 0)]).toEqual([300, 0]);
        const drained = (own: number, ofPolicy: number) => {
          const disruption = {
            ...{ reason: 'Unhealthy', message: '', decidedAt: BORN },
            terminationGracePeriodSeconds: ofPolicy,
          };
          return drainSeconds(
            nodeClaim({ spec: { terminationGracePeriodSeconds: own }, status: { disruption } }),
          );
        };
        expect([drained(300, 1200), drained(1200, 300)]).toEqual([300, 300]);
      },
    },
    {
      fact: 'replaces a node instead of rebooting it a third time within 24 hours',
      run: (): void => {
        const { node } = patient({});
        const action = (hours: number, ...ends: readonly number[]) => {
          const reboots = ends.map((hour) => {
            const endedAt = BORN + hour * 60 * MINUTE;
            return { requestedAt: endedAt - MINUTE, endedAt, result: 'succeeded' as const };
          });
          const claim = nodeClaim({ status: { reboots } });
          return repairOf({ node, claim }, [policy({ action: 'Reboot' })], BORN + hours * 60 * MINUTE)
            ?.action;
        };
        expect([action(3, 1), action(3, 1, 2), action(27, 1, 2)]).toEqual(['Reboot', 'Replace', 'Reboot']);
      },
    },
    {
      fact: 'tolerates the conditions of a node again from the end of its reboot on',
      run: (): void => {
        const { node } = patient({});
        const endedAt = BORN + 40 * MINUTE;
        const reboots = [{ requestedAt: endedAt - MINUTE, endedAt, result: 'succeeded' as const }];
        const rebooted = { node, claim: nodeClaim({ status: { reboots } }) };
        expect(ailmentOf(rebooted, [policy()], BORN)?.until).toBe(endedAt + 30 * MINUTE);
      },
    },
  ],
};
