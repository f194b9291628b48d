/** `berth get policies`, `reservations` and `decisions`, with the columns that their resources show in kubectl. */
import {
  decisionSummary,
  describeOutcome,
  isProposal,
  phaseOf,
  type Decision,
} from '../../../../domain/records/decision.js';
import type { PolicyStatus } from '../../../../domain/policies/policy.js';
import type { Reservation } from '../../../../domain/records/reservation.js';
import { CPU, MEMORY } from '../../../../domain/values/resources.js';
import { amountText, durationText } from '../../../../state/story/words.js';
import { formatPrice } from '../../render/text/numbers.js';
import { byName, listing, NONE, type Listing } from './listing.js';

interface SeenPolicy {
  readonly status: PolicyStatus;
  /** Of the ConfigMap that the document stands in; undefined when that is gone. */
  readonly ageMillis: number | undefined;
}

export const POLICIES: Listing = listing<SeenPolicy>({
  names: ['policies', 'policy', 'bpol'],
  kinds: ['PolicyStatus', 'PolicyConfigMap'],
  namespaced: false,
  items: ({ cluster, now }) =>
    byName(cluster.policyStatuses.values(), ({ name }) => ({ namespace: '', name })).map((status) => {
      const source = status.lastAccepted?.source.configMap;
      const createdAt = source === undefined ? undefined : cluster.policyConfigMaps.get(source)?.createdAt;
      return { status, ageMillis: createdAt === undefined ? undefined : now - createdAt };
    }),
  nameOf: ({ status }) => ({ namespace: '', name: status.policy }),
  columns: [
    { header: 'KIND', key: 'kind', text: ({ status }) => status.kind },
    { header: 'NAME', key: 'name', text: ({ status }) => status.policy },
    {
      header: 'NODECLASS',
      key: 'nodeClass',
      text: ({ status }) => nodePoolOf(status)?.template.nodeClassRef.name ?? NONE,
    },
    {
      header: 'NODES',
      key: 'nodes',
      align: 'right',
      text: ({ status }) => String(status.resources.get('nodes') ?? 0),
    },
    {
      header: 'DRIFTED',
      key: 'driftedNodes',
      align: 'right',
      text: ({ status }) => (status.driftedNodes === 0 ? NONE : String(status.driftedNodes)),
      value: ({ status }) => status.driftedNodes,
    },
    { header: 'READY', key: 'ready', text: ({ status }) => conditionOf(status, 'Ready') },
    {
      header: 'AGE',
      key: 'age',
      text: ({ ageMillis }) => (ageMillis === undefined ? NONE : durationText(ageMillis)),
    },
    {
      header: 'WEIGHT',
      key: 'weight',
      wide: true,
      text: ({ status }) => String(nodePoolOf(status)?.weight ?? NONE),
    },
    {
      header: 'CPU',
      key: 'cpu',
      wide: true,
      text: ({ status }) => amountText(CPU, status.resources.get(CPU) ?? 0),
    },
    {
      header: 'MEMORY',
      key: 'memory',
      wide: true,
      text: ({ status }) => amountText(MEMORY, status.resources.get(MEMORY) ?? 0),
    },
  ],
});

export const RESERVATIONS: Listing = listing<Reservation>({
  names: ['reservations', 'reservation', 'brsv'],
  kinds: ['Reservation'],
  namespaced: false,
  items: ({ cluster }) => byName(cluster.reservations.values(), ({ name }) => ({ namespace: '', name })),
  nameOf: ({ name }) => ({ namespace: '', name }),
  columns: [
    { header: 'NAME', key: 'name', text: ({ name }) => name },
    { header: 'TARGET', key: 'target', text: ({ target }) => `${target.kind} ${target.name}` },
    { header: 'PODS', key: 'pods', align: 'right', text: (item) => String(podCount(item)), value: podCount },
    {
      header: 'REASON',
      key: 'reason',
      text: ({ entries }) => [...new Set(entries.map(({ reason }) => reason))].join(','),
    },
  ],
});

export const DECISIONS: Listing = listing<{ readonly decision: Decision; readonly ageMillis: number }>({
  names: ['decisions', 'decision', 'bdec'],
  kinds: ['Decision'],
  namespaced: false,
  // As they were taken, oldest first.
  items: ({ cluster, now }) =>
    [...cluster.decisions.values()]
      .sort((left, right) => left.spec.time - right.spec.time)
      .map((decision) => ({ decision, ageMillis: now - decision.spec.time })),
  nameOf: ({ decision }) => ({ namespace: '', name: decision.name }),
  columns: [
    { header: 'SUBJECT', key: 'subject', text: ({ decision }) => subjectOf(decision) },
    { header: 'ACTION', key: 'action', text: ({ decision }) => decision.spec.action },
    { header: 'REASON', key: 'reason', text: ({ decision }) => decision.spec.reason },
    { header: 'SAVING', key: 'saving', align: 'right', text: ({ decision }) => savingOf(decision) },
    {
      header: 'PHASE',
      key: 'phase',
      text: ({ decision }) => (isProposal(decision) ? phaseOf(decision) : NONE),
    },
    { header: 'AGE', key: 'age', text: ({ ageMillis }) => durationText(ageMillis) },
    { header: 'MESSAGE', key: 'summary', text: ({ decision }) => decisionSummary(decision.spec.message) },
    { header: 'NAME', key: 'name', wide: true, text: ({ decision }) => decision.name },
    { header: 'TRIGGER', key: 'trigger', wide: true, text: ({ decision }) => decision.spec.trigger },
    { header: 'OUTCOME', key: 'outcome', wide: true, text: ({ decision }) => describeOutcome(decision) },
    { header: 'DETAILS', key: 'message', wide: true, text: ({ decision }) => decision.spec.message },
  ],
});

function nodePoolOf({ lastAccepted }: PolicyStatus) {
  const value = lastAccepted?.value;
  return value?.kind === 'NodePool' ? value.nodePool : undefined;
}

function conditionOf({ conditions }: PolicyStatus, type: string): string {
  return conditions.find((condition) => condition.type === type)?.status ?? NONE;
}

function podCount({ entries }: Reservation): number {
  return entries.reduce((sum, { count }) => sum + count, 0);
}

function subjectOf({ spec }: Decision): string {
  const { kind, namespace, name } = spec.subject;
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

function savingOf({ spec }: Decision): string {
  return spec.saving === undefined ? '-' : formatPrice(spec.saving);
}
