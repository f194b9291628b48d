/** Names of Decisions: in the order of time, the same for the same decision, different for different ones. */
import { createHash } from 'node:crypto';
import type { DecisionSpec } from '../../domain/records/decision.js';

/** `<UTC time to the millisecond>.<action>.<hash>`, as `20260701t120000123z.launch.9f86d08188`. */
export function decisionName(spec: DecisionSpec): string {
  const time = new Date(spec.time).toISOString().toLowerCase().replaceAll(/[-:.]/g, '');
  return `${time}.${spec.action.toLowerCase()}.${hashOf(spec)}`;
}

function hashOf({ subject, action, reason, message, trigger }: DecisionSpec): string {
  const { kind, namespace, name, uid } = subject;
  const identity = JSON.stringify([kind, namespace, name, uid, action, reason, message, trigger]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 10);
}
