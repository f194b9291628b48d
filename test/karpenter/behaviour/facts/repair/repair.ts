/** Unhealthy nodes: which are repaired, how, and in which order. */
import { repairOf } from '../../../../../src/controllers/disruption/conditions/health.js';
import type { Condition } from '../../../../../src/domain/values/condition.js';
import { disrupt } from '../../../../../src/planning/disrupt/methods.js';
import type {
  DisruptionCommand,
  DisruptionInput,
  ManagedNode,
} from '../../../../../src/planning/disrupt/question/disruption.js';
import { clusterInput } from '../../../../support/builders/cluster-input.js';
import {
  disruptionOptions,
  disruptionTerms,
  fleet,
  NOW,
  type FleetNode,
} from '../../../../support/builders/disruption-input.js';
import { poolOffer } from '../../../../support/builders/node-pool.js';
import type { ObservedPodOverrides } from '../../../../support/builders/observed-pod.js';
import type { Suite } from '../../fact.js';
import { answerTo, going, LARGE, saidOf, SMALL, staying } from '../../fleets.js';
import { BORN, MINUTE, patient, policy } from '../../patients.js';

const REPAIR_ALONE = { consolidateAfterSeconds: undefined };
const GRACE = { terminationGracePeriodSeconds: 300 };
const PROTECTED = { ...SMALL, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };

function condition(type: string, since = NOW - MINUTE): Condition {
  return { type, status: 'True', reason: type, message: '', lastTransitionTime: since };
}

/** A registered node that has been Unhealthy for so many minutes. */
function unhealthy(
  name: string,
  managed: Partial<ManagedNode> = {},
  {
    minutes = 1,
    pods = [SMALL],
  }: { readonly minutes?: number; readonly pods?: readonly ObservedPodOverrides[] } = {},
): FleetNode {
  const conditions = [condition('Registered'), condition('Unhealthy', NOW - minutes * MINUTE)];
  const repair = { priority: 0, action: 'Replace' as const, ...GRACE };
  return { name, type: LARGE, pods, managed: { conditions, ready: false, repair, ...managed } };
}

function healthy(names: string): readonly FleetNode[] {
  const conditions = [condition('Registered')];
  return names
    .split('')
    .map((name): FleetNode => ({ name, type: LARGE, pods: [SMALL], managed: { conditions } }));
}

function budgetOf(count: number) {
  return { ...REPAIR_ALONE, budgets: [{ nodes: { count }, reasons: undefined, window: undefined }] };
}

/** The plan checker knows neither reboots nor nodes without pods. */
function commandsOf(input: DisruptionInput): readonly DisruptionCommand[] {
  return disrupt(input, disruptionOptions()).commands;
}

export const REPAIR: Suite = {
  name: 'Repair',
  facts: [
    {
      fact: 'launches a replacement for the pods of an unhealthy node',
      run: (): void => {
        const { commands } = answerTo(fleet([unhealthy('a')], { terms: REPAIR_ALONE }));
        expect(commands).toMatchObject([
          { reason: 'Unhealthy', nodes: ['a'], claims: [{ pods: ['default/a-0'] }], unplaced: [] },
        ]);
      },
    },
    {
      fact: 'deletes an empty unhealthy node without a replacement',
      run: (): void => {
        const { commands } = answerTo(fleet([unhealthy('a', {}, { pods: [] })], { terms: REPAIR_ALONE }));
        expect(commands).toMatchObject([{ reason: 'Unhealthy', nodes: ['a'], claims: [] }]);
      },
    },
    {
      fact: 'repairs a node that is annotated do-not-disrupt',
      run: (): void => {
        const input = fleet([unhealthy('a', { doNotDisrupt: 'true' })], { terms: REPAIR_ALONE });
        expect(going(input)).toEqual(['Unhealthy a']);
      },
    },
    {
      fact: 'leaves a node that is annotated do-not-repair, and says so',
      run: (): void => {
        const input = fleet([unhealthy('a', { doNotRepair: true })], { terms: REPAIR_ALONE });
        expect(going(input)).toEqual([]);
        expect(saidOf(input)).toContain(
          'the node is annotated karpenter.sh/do-not-repair; remove the annotation',
        );
        expect(going(fleet([unhealthy('a')], { terms: REPAIR_ALONE }))).toEqual(['Unhealthy a']);
      },
    },
    {
      fact: 'says nothing of do-not-repair while the condition is tolerated',
      run: (): void => {
        const node = unhealthy('a', { doNotRepair: true, conditions: [condition('Registered')] });
        expect(staying(fleet([node], { terms: REPAIR_ALONE }))).not.toContain('a Unhealthy DoNotRepair');
      },
    },
    {
      fact: 'does not reboot a node that is annotated do-not-repair',
      run: (): void => {
        const repair = { priority: 0, action: 'Reboot' as const, ...GRACE };
        const terms = REPAIR_ALONE;
        expect(commandsOf(fleet([unhealthy('a', { repair })], { terms }))).toMatchObject([{ reboots: true }]);
        expect(going(fleet([unhealthy('a', { repair, doNotRepair: true })], { terms }))).toEqual([]);
      },
    },
    {
      fact: 'waits for budgets of the NodePool, which count an unhealthy node once',
      run: (): void => {
        const nodes = [unhealthy('a'), unhealthy('b'), ...healthy('cdefghijk')];
        expect(going(fleet(nodes, { terms: budgetOf(0) }))).toEqual([]);
        expect(staying(fleet(nodes, { terms: budgetOf(0) }))).toEqual(
          expect.arrayContaining(['a Unhealthy Budget', 'b Unhealthy Budget']),
        );
        expect(going(fleet(nodes, { terms: budgetOf(1) }))).toEqual(['Unhealthy a']);
        expect(going(fleet(nodes, { terms: budgetOf(2) }))).toEqual(['Unhealthy a', 'Unhealthy b']);
      },
    },
    {
      fact: 'asks no budget about a node that never initialized, which takes nothing of it either',
      run: (): void => {
        const young = unhealthy('a', { initialized: false });
        expect(going(fleet([young], { terms: budgetOf(0) }))).toEqual(['Unhealthy a']);
        const nodes = [young, unhealthy('b'), ...healthy('cdefghijk')];
        expect(going(fleet(nodes, { terms: budgetOf(1) }))).toEqual(['Unhealthy a', 'Unhealthy b']);
      },
    },
    {
      fact: 'stops for a NodePool of which more than 20 % of the nodes are in a bad condition, also one that is tolerated yet',
      run: (): void => {
        const terms = { ...REPAIR_ALONE, mostUnhealthyPercent: 20 };
        const tolerated = (name: string) => unhealthy(name, { conditions: [condition('Registered')] });
        const three = [unhealthy('a'), tolerated('b'), tolerated('c'), ...healthy('defghij')];
        const two = [unhealthy('a'), tolerated('b'), ...healthy('cdefghij')];
        expect(going(fleet(three, { terms }))).toEqual([]);
        expect(going(fleet(two, { terms }))).toEqual(['Unhealthy a']);
      },
    },
    {
      fact: 'rounds the 20 % up, so that one bad node of three is repaired, and two are not',
      run: (): void => {
        const terms = REPAIR_ALONE;
        expect(going(fleet([unhealthy('a'), ...healthy('bc')], { terms }))).toEqual(['Unhealthy a']);
        expect(going(fleet([unhealthy('a'), unhealthy('b'), ...healthy('c')], { terms }))).toEqual([]);
      },
    },
    {
      fact: 'counts the 20 % of each NodePool for itself',
      run: (): void => {
        const pools = ['one', 'two'].map((name) =>
          poolOffer({ name, disruption: disruptionTerms(REPAIR_ALONE) }),
        );
        const of = (nodePool: string) => (node: FleetNode) => ({ ...node, nodePool });
        const nodes = [
          ...[unhealthy('a'), unhealthy('b'), ...healthy('c')].map(of('one')),
          ...[unhealthy('d'), ...healthy('ef')].map(of('two')),
        ];
        expect(going(fleet(nodes, { cluster: clusterInput({ pools }) }))).toEqual(['Unhealthy d']);
      },
    },
    {
      fact: 'repairs the node with the higher priority first; half an hour of waiting outweighs the next higher one',
      run: (): void => {
        const high = unhealthy('b', { repair: { priority: 90, action: 'Replace', ...GRACE } });
        const first = (minutes: number) =>
          going(
            fleet([unhealthy('a', {}, { minutes }), high, ...healthy('cdefghijk')], { terms: budgetOf(1) }),
          );
        expect([first(29), first(32)]).toEqual([['Unhealthy b'], ['Unhealthy a']]);
      },
    },
    {
      fact: 'plans room for pods that may not be evicted, where the drain has a bound',
      run: (): void => {
        const { commands } = answerTo(
          fleet([unhealthy('a', {}, { pods: [PROTECTED] })], { terms: REPAIR_ALONE }),
        );
        expect(commands).toMatchObject([
          { claims: [{ pods: ['default/a-0'] }], terminationGracePeriodSeconds: 300 },
        ]);
      },
    },
    {
      fact: 'leaves a node with a pod that may not be evicted, where neither policy nor NodeClaim bounds the drain',
      differs:
        'an unhealthy node is replaced whatever its pods say: a bound is missing only where berth.repair.policies says terminationGracePeriod: Never, and then the pod stays until it may be evicted',
      run: (): void => {
        const repair = { priority: 0, action: 'Replace' as const, terminationGracePeriodSeconds: undefined };
        const [command] = answerTo(
          fleet([unhealthy('a', { repair }, { pods: [PROTECTED] })], { terms: REPAIR_ALONE }),
        ).commands;
        expect(command).toMatchObject({ reason: 'Unhealthy', nodes: ['a'] });
        expect(command).not.toHaveProperty('terminationGracePeriodSeconds');
      },
    },
    {
      fact: 'repairs a node that pods are nominated for',
      run: (): void => {
        const node = unhealthy('a', { awaitedPods: ['default/next'], initialized: false });
        expect(going(fleet([node], { terms: REPAIR_ALONE }))).toEqual(['Unhealthy a']);
      },
    },
    {
      fact: 'does not repair a node that reboots',
      run: (): void => {
        expect(going(fleet([unhealthy('a', { rebooting: true })], { terms: REPAIR_ALONE }))).toEqual([]);
        expect(going(fleet([unhealthy('a')], { terms: REPAIR_ALONE }))).toEqual(['Unhealthy a']);
      },
    },
    {
      fact: 'replaces a node of a static NodePool with another of the pool, though the node is empty',
      run: (): void => {
        const pools = [poolOffer({ replicas: 5, disruption: disruptionTerms() })];
        const nodes = [unhealthy('a', {}, { pods: [] }), ...healthy('bcde')];
        expect(commandsOf(fleet(nodes, { cluster: clusterInput({ pools }) }))).toMatchObject([
          { nodes: ['a'], claims: [{ nodePool: 'default' }] },
        ]);
      },
    },
    {
      fact: 'leaves an unhealthy node of a static NodePool while limits.nodes has no room for its replacement',
      differs:
        'an unhealthy node never waits for room: it goes, and the static NodePool launches another once it is gone',
      run: (): void => {
        const pools = [poolOffer({ replicas: 5, limits: { nodes: '5' }, disruption: disruptionTerms() })];
        const nodes = [unhealthy('a'), ...healthy('bcde')];
        expect(commandsOf(fleet(nodes, { cluster: clusterInput({ pools }) }))).toMatchObject([
          { reason: 'Unhealthy', nodes: ['a'], claims: [] },
        ]);
      },
    },
    {
      fact: 'repairs before all other methods: within a budget of one node, an unhealthy one goes before a drifted and an empty one',
      run: (): void => {
        const drifted: FleetNode = {
          ...{ name: 'a', type: LARGE, pods: [SMALL] },
          managed: { conditions: [condition('Registered'), condition('Drifted')] },
        };
        const nodes = [drifted, { name: 'b', type: LARGE }, unhealthy('c'), ...healthy('defgh')];
        const terms = { ...budgetOf(1), consolidateAfterSeconds: 0 };
        expect(going(fleet(nodes, { terms }))).toEqual(['Unhealthy c']);
      },
    },
    {
      fact: 'ranks a node with several bad conditions by the one for which priority and waiting time come to most',
      differs:
        'the highest priority of its bad conditions counts with the time since the first of them: a NodeClaim has one condition Unhealthy for all, and a node with two faults waits no longer than a node with one',
      run: (): void => {
        const policies = [policy({ priority: 10 }), policy({ conditionType: 'High', priority: 90 })] as const;
        const sick = patient({}, { type: 'High', since: BORN + 37 * MINUTE });
        const repair = repairOf(sick, policies, BORN + 70 * MINUTE);
        expect(repair).toMatchObject({ priority: 90 });
        const waiting = unhealthy('b', { repair }, { minutes: 40 });
        const other = unhealthy('a', { repair }, { minutes: 20 });
        const nodes = [other, waiting, ...healthy('cdefghijklm')];
        expect(going(fleet(nodes, { terms: budgetOf(1) }))).toEqual(['Unhealthy b']);
      },
    },
  ],
};
