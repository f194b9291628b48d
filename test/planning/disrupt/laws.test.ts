import fc from 'fast-check';
import { podKey } from '../../../src/domain/pods/pod.js';
import { disrupt } from '../../../src/planning/disrupt/methods.js';
import { DisruptionMemory } from '../../../src/planning/disrupt/draft.js';
import { mayDisrupt } from '../../../src/planning/disrupt/may-disrupt.js';
import type {
  DisruptionAnswer,
  DisruptionCommand,
  DisruptionInput,
} from '../../../src/planning/disrupt/question/disruption.js';
import {
  disruptionOptions,
  economics,
  fleet,
  typeNamed,
  type FleetNode,
} from '../../support/builders/disruption-input.js';
import { asText, fewerRuns } from '../laws/plan-of.js';
import { arbitraryDisruption, POOL } from './arbitrary-disruption.js';
import { afterAnswer, faultsOf } from './check-commands.js';

const answerTo = (input: DisruptionInput): DisruptionAnswer => disrupt(input, disruptionOptions());

/** Nodes of commands that budgets and pods have a say in. */
function voluntary(input: DisruptionInput, { commands }: DisruptionAnswer): readonly string[] {
  const isBudgeted = input.cluster.pools[0]?.pool.disruption.expiration === 'Budgeted';
  return commands.filter((command) => isVoluntary(command, isBudgeted)).flatMap(({ nodes }) => nodes);
}

function isVoluntary({ reason }: DisruptionCommand, isBudgeted: boolean): boolean {
  return !['Interrupted', 'Unhealthy'].includes(reason) && (reason !== 'Expired' || isBudgeted);
}

function evictedFrom({ pods }: DisruptionInput, nodes: readonly string[]) {
  return pods.filter(
    ({ nodeName, mirror, owner, terminating, phase }) =>
      nodes.includes(nodeName ?? '') &&
      !mirror &&
      owner?.kind !== 'DaemonSet' &&
      !terminating &&
      (phase === 'Running' || phase === 'Pending'),
  );
}

function check(property: (input: DisruptionInput) => void): void {
  fc.assert(fc.property(arbitraryDisruption(), property), fewerRuns(5));
}

describe('disrupt', () => {
  test('leaves a cluster that holds every pod by all rules, command after command', () => {
    check((input) => {
      expect(faultsOf(input, answerTo(input))).toBe('');
    });
  });

  test('places or names every pod that its commands move, and no other', () => {
    check((input) => {
      for (const { nodes, placements, unplaced, claims } of answerTo(input).commands) {
        const moved = [...placements.map(({ pod }) => pod), ...unplaced].sort();
        const there = evictedFrom(input, nodes).map(podKey);
        expect(moved).toEqual(expect.arrayContaining(there));
        expect(new Set(moved).size).toBe(moved.length);
        expect(claims.flatMap(({ pods }) => pods).every((pod) => moved.includes(pod))).toBe(true);
      }
    });
  });

  test('has no commands where nothing may be disrupted whatever pods there are', () => {
    let vain = 0;
    check((input) => {
      const { nodes, frozenPools, resting, now } = input;
      if (mayDisrupt({ pools: input.cluster.pools, nodes, frozenPools, resting, now })) return;
      vain++;
      expect(answerTo(input).commands).toEqual([]);
    });
    expect(vain).toBeGreaterThan(0);
  });

  test('ended at any checkpoint has remembered nothing that is wrong', () => {
    check((input) => {
      let checkpoints = 0;
      const whole = disrupt(input, disruptionOptions(), undefined, () => checkpoints++);
      const last = checkpoints;
      const memory = new DisruptionMemory();
      for (const end of [0.3, 0.6, 1].map((share) => Math.ceil(share * last))) {
        checkpoints = 0;
        const stop = (): void => {
          if (++checkpoints === end) throw new Error('ended');
        };
        expect(() => disrupt(input, disruptionOptions(), memory, stop)).toThrow('ended');
      }
      expect(asText(disrupt(input, disruptionOptions(), memory))).toBe(asText(whole));
      expect(last).toBeGreaterThan(whole.simulations);
    });
  });

  test('asked again, also after a change, answers as though it remembered nothing', () => {
    check((input) => {
      const memory = new DisruptionMemory();
      const [first, ...others] = input.cluster.nodes;
      const nodes = first === undefined ? [] : [{ ...first, unschedulable: !first.unschedulable }, ...others];
      const later = { ...input, now: input.now + 3_600_000 };
      const changed = { ...later, cluster: { ...input.cluster, nodes } };
      for (const asked of [input, input, later, changed, input])
        expect(asText(disrupt(asked, disruptionOptions(), memory))).toBe(asText(answerTo(asked)));
    });
  });

  test('takes each node once, and puts nothing on a node that goes', () => {
    check((input) => {
      const { commands } = answerTo(input);
      const nodes = commands.flatMap((command) => command.nodes);
      expect(new Set(nodes).size).toBe(nodes.length);
      const targets = commands.flatMap(({ placements }) => placements.map(({ target }) => target.name));
      expect(targets.filter((name) => nodes.includes(name))).toEqual([]);
    });
  });

  test('takes no more nodes than budgets allow', () => {
    check((input) => {
      const { total, used } = counted(input);
      const answer = answerTo(input);
      for (const reason of ['Drifted', 'Empty', 'Underutilized'] as const) {
        const limit = leastBudget(input, reason, total);
        const taken = answer.commands
          .filter((command) => command.reason === reason)
          .flatMap(({ nodes }) => nodes);
        expect(taken.length).toBeLessThanOrEqual(Math.max(0, limit - used));
      }
    });
  });

  test('takes no node that says do-not-disrupt, nor one with a pod that does', () => {
    check((input) => {
      const going = voluntary(input, answerTo(input));
      const nodes = input.nodes.filter(({ name }) => going.includes(name));
      expect(nodes.filter(({ doNotDisrupt }) => doNotDisrupt !== undefined)).toEqual([]);
      const strict = nodes.filter((node) => node.terminationGracePeriodSeconds === undefined);
      const evicted = evictedFrom(
        input,
        strict.map(({ name }) => name),
      );
      expect(evicted.filter(({ annotations }) => annotations.has('karpenter.sh/do-not-disrupt'))).toEqual([]);
    });
  });

  test('asks no PodDisruptionBudget for more than it lets go, a single node that drains slowly apart', () => {
    check((input) => {
      const lasting = input.nodes.filter((node) => node.terminationGracePeriodSeconds === undefined);
      const names = lasting.map(({ name }) => name);
      const answer = answerTo(input);
      const going = voluntary(input, answer).filter((name) => names.includes(name));
      for (const { namespace, name, minAvailable } of input.podDisruptionBudgets) {
        const app = name.slice(0, 1);
        const covers = (pod: DisruptionInput['pods'][number]): boolean =>
          pod.namespace === namespace && pod.spec.labels.get('app') === app;
        const healthy = input.pods.filter((pod) => covers(pod) && pod.ready && !pod.terminating).length;
        const evicted = evictedFrom(input, going).filter(covers);
        const onNodes = new Set(evicted.map(({ nodeName }) => nodeName)).size;
        const allowed = Math.max(0, healthy - (minAvailable?.amount ?? 0));
        expect(evicted.length === 0 || allowed > 0).toBe(true);
        expect(onNodes <= 1 || evicted.length <= allowed).toBe(true);
      }
    });
  });

  test('says of each command what it saves, and consolidates only for less money, whatever is launched', () => {
    check((input) => {
      const price = new Map(input.nodes.map(({ name, hourlyPrice }) => [name, hourlyPrice ?? 0]));
      for (const { reason, nodes, claims, saving } of answerTo(input).commands) {
        const before = nodes.reduce((sum, name) => sum + (price.get(name) ?? 0), 0);
        const cheapest = claims.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
        const highest = claims.reduce((sum, { hourlyPriceMax }) => sum + hourlyPriceMax, 0);
        expect(saving).toBeCloseTo(before - cheapest, 9);
        expect(reason === 'Underutilized' && highest >= before).toBe(false);
      }
    });
  });

  test('answers the same whatever the order of its input', () => {
    check((input) => {
      const { cluster } = input;
      const turned: DisruptionInput = {
        ...input,
        cluster: {
          ...cluster,
          nodes: [...cluster.nodes].reverse(),
          pods: [...cluster.pods].reverse(),
          pools: [...cluster.pools].reverse(),
          daemonSets: [...cluster.daemonSets].reverse(),
        },
        nodes: [...input.nodes].reverse(),
        pods: [...input.pods].reverse(),
        podDisruptionBudgets: [...input.podDisruptionBudgets].reverse(),
      };
      expect(asText(answerTo(turned))).toBe(asText(answerTo(input)));
    });
  });

  test('refuses no node that goes, and none twice for one reason', () => {
    check((input) => {
      const { commands, refusals } = answerTo(input);
      const going = new Set(commands.flatMap(({ nodes }) => nodes));
      const keys = refusals.map(({ node, reason }) => `${node} ${reason}`);
      expect(refusals.filter(({ node }) => going.has(node))).toEqual([]);
      expect(new Set(keys).size).toBe(keys.length);
    });
  });
});

function counted({ nodes }: DisruptionInput) {
  const initialized = nodes.filter((node) => node.initialized);
  return {
    total: initialized.length,
    used: initialized.filter(({ ready, leaving }) => !ready || leaving).length,
  };
}

function leastBudget(
  { cluster }: DisruptionInput,
  reason: 'Drifted' | 'Empty' | 'Underutilized',
  total: number,
): number {
  const pool = cluster.pools.find((offer) => offer.pool.name === POOL)?.pool;
  const limits = (pool?.disruption.budgets ?? [])
    .filter(({ reasons }) => reasons?.includes(reason) ?? true)
    .map(({ nodes }) => ('count' in nodes ? nodes.count : Math.ceil((nodes.percent * total) / 100)));
  return pool === undefined ? 0 : Math.min(total, ...limits);
}

/** Fleets of one pool without anything that forbids. */
const arbitraryFleet = fc
  .array(
    fc.record({
      type: fc.constantFrom('m6i.large', 'm6i.xlarge', 'm6i.2xlarge', 'c7g.xlarge').map(typeNamed),
      capacityType: fc.constantFrom('on-demand' as const, 'spot' as const),
      pods: fc.array(
        fc.record({ cpu: fc.constantFrom('200m', '700m', '1500m'), memory: fc.constantFrom('256Mi', '2Gi') }),
        { maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 7 },
  )
  .map((nodes) =>
    nodes.map(({ pods, ...rest }, index): FleetNode => ({
      ...rest,
      name: `n${String(index)}`,
      pods: pods.map((requests) => ({ requests })),
    })),
  );

const FLEETS = fewerRuns(10);

function costOf({ nodes }: DisruptionInput): number {
  return nodes.reduce((sum, { hourlyPrice }) => sum + (hourlyPrice ?? 0), 0);
}

describe('disrupting again and again', () => {
  test('costs less each time, by what was said, and so comes to rest and undoes nothing', () => {
    fc.assert(
      fc.property(arbitraryFleet, (nodes) => {
        let input = fleet(nodes);
        for (let round = 0; round < 30; round++) {
          const answer = answerTo(input);
          if (answer.commands.length === 0) return;
          const after = afterAnswer(input, answer);
          const saving = answer.commands.reduce((sum, command) => sum + command.saving, 0);
          expect(saving).toBeGreaterThan(0);
          expect(costOf(after)).toBeCloseTo(costOf(input) - saving, 9);
          input = after;
        }
        expect('rest').toBe('never reached');
      }),
      FLEETS,
    );
  });

  test('saves no less where a budget is larger', () => {
    fc.assert(
      fc.property(arbitraryFleet, (nodes) => {
        const savings = [1, 2, 3, 5, 7].map((count) => {
          const budgets = [{ nodes: { count }, reasons: undefined, window: undefined }];
          const input = fleet(nodes, { terms: { budgets, ...economics({ evictionCostUsd: 0 }) } });
          const { commands } = disrupt(input, disruptionOptions({ bootHours: 0 }));
          return commands.reduce((sum, { saving }) => sum + saving, 0);
        });
        const sorted = [...savings].sort((left, right) => left - right);
        expect(savings.map((saving) => saving.toFixed(9))).toEqual(sorted.map((saving) => saving.toFixed(9)));
      }),
      FLEETS,
    );
  });
});
