/** The story of a policy: whether it holds, what Berth made of it, and what it has brought about. */
import { counted, usdPerHour } from '../../domain/values/text.js';
import { isNodeClassKind } from '../../domain/policies/node-class.js';
import { isTrue } from '../../domain/values/condition.js';
import type { NodeOverlay, PriceChange } from '../../domain/policies/node-overlay.js';
import {
  DELETE_ANNOTATION,
  hasNodes,
  type PolicyStatus,
  type PolicyValue,
} from '../../domain/policies/policy.js';
import { CPU, MEMORY, type ResourceList } from '../../domain/values/resources.js';
import type { Cluster } from '../cluster/cluster.js';
import { stateNodes, type StateNode } from '../nodes/state-node.js';
import { nodeRef } from './node-words.js';
import { decisionsAbout, stepsOf } from './steps.js';
import { BLANK_STORY, type Story, type StoryFact } from './story.js';
import { amountText } from './words.js';

/** Decisions about a pool's many instances: the latest are enough. */
const MOST_STEPS = 30;

export function policyStory(cluster: Cluster, status: PolicyStatus): Story {
  const { kind, policy, conditions } = status;
  const own = stateNodes(cluster).filter((stateNode) => isOf(stateNode, status));
  const about = decisionsAbout(cluster, [
    { kind, namespace: '', name: policy, uid: undefined },
    { kind: 'PolicyStatus', namespace: '', name: status.name, uid: status.uid },
  ]);
  return {
    ...BLANK_STORY,
    subject: { kind, namespace: '', name: policy },
    ...standing(status),
    facts: facts(status, own),
    changes: conditions
      .filter(({ status: value, type }) => value === 'False' && type !== 'Ready')
      .map(({ type, message }) => `${type} is False${message === '' ? '' : `: ${message}`}.`),
    steps: stepsOf(about, conditions).slice(-MOST_STEPS),
    related: own.length === 0 ? [] : [{ label: counted(own.length, 'node'), refs: own.map(nodeRef) }],
  };
}

function isOf({ nodePool, claim }: StateNode, { kind, policy }: PolicyStatus): boolean {
  if (kind === 'NodePool') return nodePool === policy;
  const ref = claim?.spec.nodeClassRef;
  return ref?.kind === kind && ref.name === policy;
}

function standing({ conditions, annotations }: PolicyStatus): Pick<Story, 'headline' | 'tone'> {
  const deletion = annotations.get(DELETE_ANNOTATION);
  if (deletion !== undefined)
    return { headline: `It is being removed: ${DELETE_ANNOTATION}=${deletion}`, tone: 'leaving' };
  if (isTrue(conditions, 'Ready')) return { headline: 'It is active', tone: 'good' };
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready === undefined) return { headline: 'It is not validated yet', tone: 'waiting' };
  const said = [ready.reason, ready.message].filter((part) => part !== '').join(': ');
  return { headline: `It is not ready: ${said}`, tone: 'bad' };
}

function facts(
  { kind, lastAccepted, resources, driftedNodes }: PolicyStatus,
  own: readonly StateNode[],
): readonly StoryFact[] {
  const source = lastAccepted?.source;
  const value = lastAccepted?.value;
  const prices = own.flatMap(({ hourlyPrice }) => hourlyPrice ?? []);
  return [
    ...(source === undefined ? [] : [{ label: 'ConfigMap', value: `${source.configMap}[${source.key}]` }]),
    ...(value === undefined ? [] : valueFacts(value, resources)),
    ...(!hasNodes(kind)
      ? []
      : [
          { label: 'Nodes', value: String(own.length) },
          ...(driftedNodes === 0
            ? []
            : [{ label: 'Drifted', value: `${String(driftedNodes)} of ${counted(own.length, 'node')}` }]),
          { label: 'Price', value: usdPerHour(prices.reduce((sum, price) => sum + price, 0)) },
        ]),
  ];
}

function valueFacts(value: PolicyValue, resources: ResourceList): readonly StoryFact[] {
  if (value.kind === 'NodeOverlay') return overlayFacts(value.nodeOverlay);
  if (value.kind !== 'NodePool') return [];
  const { template, weight, disruption, limits } = value.nodePool;
  const { kind, name } = template.nodeClassRef;
  const used = [CPU, MEMORY].map((resource) => limitText(resource, resources, limits));
  return [
    {
      label: kind,
      value: name,
      ref: isNodeClassKind(kind) ? { kind, namespace: '', name } : undefined,
    },
    ...(weight === 0 ? [] : [{ label: 'Weight', value: String(weight) }]),
    { label: 'CPU', value: used[0] ?? '' },
    { label: 'Memory', value: used[1] ?? '' },
    { label: 'Consolidates', value: disruption.consolidationPolicy },
  ];
}

function overlayFacts({ weight, price, capacity }: NodeOverlay): readonly StoryFact[] {
  return [
    ...(weight === 0 ? [] : [{ label: 'Weight', value: String(weight) }]),
    ...(price === undefined ? [] : [{ label: 'Prices', value: changeText(price) }]),
    ...[...capacity].map(([resource, amount]) => ({
      label: resource,
      value: amountText(resource, amount),
    })),
  ];
}

/** As the document has it, in USD/h where it is no share. */
function changeText({ kind, value }: PriceChange): string {
  const sign = kind === 'absolute' || value < 0 ? '' : '+';
  return kind === 'percentage' ? `${sign}${String(value)} %` : `${sign}${String(value)} USD/h`;
}

function limitText(resource: string, resources: ResourceList, limits: ResourceList): string {
  const limit = limits.get(resource);
  const used = amountText(resource, resources.get(resource) ?? 0);
  return limit === undefined ? `${used}, no limit` : `${used} of ${amountText(resource, limit)}`;
}
