/** Whether a PolicyStatus says already what is to be written. */
import type { Condition } from '../../domain/values/condition.js';
import type { AcceptedPolicy, PolicyStatus } from '../../domain/policies/policy.js';
import type { ResourceList } from '../../domain/values/resources.js';
import type { PolicyStatusContent } from '../../ports/kube-writer.js';

export function isSameContent(known: PolicyStatus, content: PolicyStatusContent): boolean {
  return (
    acceptedKey(known.lastAccepted) === acceptedKey(content.lastAccepted) &&
    conditionsKey(known.conditions) === conditionsKey(content.conditions) &&
    known.driftedNodes === content.driftedNodes &&
    resourcesKey(known.resources) === resourcesKey(content.resources)
  );
}

function acceptedKey(accepted: AcceptedPolicy | undefined): string {
  return accepted === undefined
    ? ''
    : JSON.stringify([accepted.source.configMap, accepted.source.key, accepted.hash]);
}

function conditionsKey(conditions: readonly Condition[]): string {
  return JSON.stringify(
    conditions.map(({ type, status, reason, message }) => [type, status, reason, message]),
  );
}

function resourcesKey(resources: ResourceList): string {
  return JSON.stringify([...resources].sort(([left], [right]) => (left < right ? -1 : 1)));
}
