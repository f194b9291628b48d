/**
 * Carries out an answer's commands on the input, one after the other, and says what is wrong with each: the cluster that
 * it leaves is judged by the plan checker, which shares no code with planning.
 */
import { podKey, type Pod } from '../../../src/domain/pods/pod.js';
import type {
  DisruptionAnswer,
  DisruptionCommand,
  DisruptionInput,
} from '../../../src/planning/disrupt/question/disruption.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { checkPlan } from '../../support/plan-checker/check-plan.js';
import { formatViolations } from '../../support/plan-checker/violation.js';
import { node } from '../../support/builders/node.js';

/** Kinds of violation that say how a plan is written, or that a narrowed claim is not expected to keep. */
const NOT_ASKED: ReadonlySet<string> = new Set(['weight', 'left-out', 'reasons']);

/** What is wrong, one line for each; '' when nothing is. */
export function faultsOf(input: DisruptionInput, { commands }: DisruptionAnswer): string {
  let cluster = input.cluster;
  const faults: string[] = [];
  for (const command of commands) {
    const without = withoutNodes(cluster, command);
    const plan = {
      placements: command.placements,
      claims: command.claims,
      unschedulable: command.unplaced.map((pod) => ({ pod, reasons: [] })),
      cost: {
        hourly: sum(command.claims.map(({ hourlyPrice }) => hourlyPrice)),
        lowerBound: null,
        existingHourly: 0,
      },
    };
    const found = checkPlan(without, plan).filter(({ kind }) => !NOT_ASKED.has(kind));
    faults.push(...(found.length === 0 ? [] : [`${command.nodes.join(' ')}: ${formatViolations(found)}`]));
    cluster = afterCommand(without, command);
  }
  return faults.join('\n');
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** The input with the command's nodes gone and their pods pending; waiting pods, which are not its business, left out. */
function withoutNodes(cluster: ClusterInput, { nodes }: DisruptionCommand): ClusterInput {
  const going = new Set(nodes);
  return {
    ...cluster,
    nodes: cluster.nodes.filter(({ name }) => !going.has(name)),
    pods: cluster.pods
      .filter(({ nodeName }) => nodeName !== undefined)
      .filter((pod) => !going.has(pod.nodeName ?? '') || mustMove(pod))
      .map((pod) =>
        going.has(pod.nodeName ?? '')
          ? { ...pod, nodeName: undefined, phase: 'Pending' as const, terminating: false }
          : pod,
      ),
  };
}

function mustMove({ owner, mirror, phase, terminating }: Pod): boolean {
  if (mirror || owner?.kind === 'DaemonSet') return false;
  if (phase === 'Succeeded' || phase === 'Failed') return false;
  return !terminating || owner?.kind === 'StatefulSet';
}

/** New nodes exist, as the cheapest of what they may be, and pods where the command puts them. */
function afterCommand(cluster: ClusterInput, { claims, placements }: DisruptionCommand): ClusterInput {
  const place = new Map(placements.map(({ pod, target }) => [pod, target.name]));
  const offers = new Map(cluster.pools.map((offer) => [offer.pool.name, offer]));
  const launched = claims.map((claim) => {
    const offer = offers.get(claim.nodePool);
    const type = offer?.instanceTypes?.find(({ name }) => name === claim.instanceTypes[0]);
    if (offer === undefined || type === undefined) throw new Error(`${claim.name} cannot be launched`);
    const cheapest = type.offerings
      .filter(({ available }) => available)
      .filter(
        ({ zone, capacityType }) => claim.zones.includes(zone) && claim.capacityTypes.includes(capacityType),
      )
      .sort((left, right) => left.price - right.price)[0];
    if (cheapest === undefined) throw new Error(`${claim.name} is offered nowhere`);
    const { zone, capacityType } = cheapest;
    const labels = Object.fromEntries([...offer.pool.template.labels, ...claim.chosenLabels]);
    const { taints } = offer.pool.template;
    return node({ name: claim.name, type, zone, capacityType, nodePool: claim.nodePool, labels, taints });
  });
  return {
    ...cluster,
    nodes: [...cluster.nodes, ...launched],
    pods: cluster.pods.flatMap((pod) => {
      const nodeName = pod.nodeName ?? place.get(podKey(pod));
      return nodeName === undefined ? [] : [{ ...pod, nodeName, phase: 'Running' as const }];
    }),
  };
}

/** The input after all commands, their new nodes managed, ready and quiet. */
export function afterAnswer(input: DisruptionInput, { commands }: DisruptionAnswer): DisruptionInput {
  const cluster = commands.reduce(
    (before, command) => afterCommand(withoutNodes(before, command), command),
    input.cluster,
  );
  const left = new Set(cluster.nodes.map(({ name }) => name));
  const launched = commands.flatMap(({ claims }) => claims);
  const bound = new Map(cluster.pods.map((pod) => [podKey(pod), pod.nodeName]));
  return {
    ...input,
    cluster,
    nodes: [
      ...input.nodes.filter(({ name }) => left.has(name)),
      ...launched.map(({ name, nodePool, hourlyPrice }) => ({
        name,
        nodePool,
        hourlyPrice,
        initialized: true,
        ready: true,
        leaving: false,
        createdAt: input.now,
        quietSince: input.now - 3_600_000,
        doNotDisrupt: undefined,
        doNotRepair: false,
        expiresAt: undefined,
        terminationGracePeriodSeconds: undefined,
        conditions: [],
        emptying: false,
        repair: undefined,
        awaitedPods: [],
      })),
    ],
    pods: input.pods.flatMap((pod) => {
      const nodeName = bound.get(podKey(pod));
      return nodeName === undefined ? [] : [{ ...pod, nodeName, terminating: false }];
    }),
  };
}
