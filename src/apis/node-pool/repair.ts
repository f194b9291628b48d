/** `berth.repair` of a NodePool. */
import * as z from 'zod';
import { DEFAULT_MOST_UNHEALTHY_PERCENT } from '../../domain/policies/node-pool.js';
import { REPAIR_ACTIONS, specificFirst, type RepairPolicy } from '../../domain/policies/repair-policy.js';
import { refuse, withRule, type Loose, type RuleContext } from '../decode/refuse.js';
import { durationOrNever, durationSeconds } from '../fields/duration.js';
import { percentage } from '../fields/percentage.js';

const policy = withRule(
  z.strictObject({
    conditionType: z
      .string()
      .regex(/^[A-Za-z0-9](?:[-A-Za-z0-9_./]{0,314}[A-Za-z0-9])?$/, 'must be the type of a node condition')
      .describe('Type of the condition of the Node, for example AcceleratedHardwareReady.'),
    conditionStatus: z
      .enum(['True', 'False', 'Unknown'])
      .describe('Status of the condition that calls for repair.'),
    reasons: z
      .array(
        z
          .string()
          .regex(/^[^*]{0,128}\*?$/, 'must be a reason; * may stand at its end only')
          .min(1),
      )
      .min(1)
      .max(50)
      .describe(
        'Reasons of the condition that the policy is for; a * at the end stands for any characters, as in NvidiaXID*. Default: every reason that no other policy of the condition and status names.',
      )
      .optional(),
    tolerationDuration: durationOrNever(
      'How long a node may be in the condition before it is repaired. Never: it is not repaired for it, nor counted as unhealthy.',
    ),
    terminationGracePeriod: durationOrNever(
      'Maximum time to drain the node once its replacement is ready; afterwards pods are deleted regardless of PodDisruptionBudgets. Before a reboot pods are never deleted: those that are left then go down with the instance. Never: as long as the terminationGracePeriod of the NodePool. Default: 10m.',
    ).optional(),
    priority: z
      .int()
      .min(0)
      .max(100)
      .describe(
        'Of several unhealthy nodes that budgets do not let go together, that with the highest priority goes first; half an hour of waiting outweighs the next higher one. Default: 0.',
      )
      .optional(),
    action: z
      .enum(REPAIR_ACTIONS)
      .describe(
        'Replace: another node takes its place. Reboot: the node is drained, its instance is rebooted, and it keeps its NodeClaim; it is replaced instead when the reboot fails, or after 2 reboots within 24 hours. Where several policies apply, Replace counts. Default: Replace.',
      )
      .optional(),
  }),
  checkHealthy,
);

/** The state of a good node calls for no repair. */
function checkHealthy({ conditionType, conditionStatus }: Loose, context: RuleContext): void {
  if (conditionType === 'Ready' && conditionStatus === 'True')
    refuse(context, 'is True for every node that is Ready; must be False or Unknown', {
      path: ['conditionStatus'],
    });
}

const policies = withRule(
  z
    .array(policy)
    .max(50)
    .describe(
      "Which conditions of the pool's nodes call for repair, beside those of the cloud provider, which hold where no policy matches. Of several that match, the first with reasons counts. Default: none. At most 50.",
    ),
  checkShadowed,
);

/** A second policy for every reason would never be looked at. */
function checkShadowed(given: unknown, context: RuleContext): void {
  if (!Array.isArray(given)) return;
  const known = new Map<string, number>();
  for (const [index, { conditionType, conditionStatus, reasons }] of (given as Loose[]).entries()) {
    if (reasons !== undefined || typeof conditionType !== 'string') continue;
    const key = `${conditionType} ${String(conditionStatus)}`;
    const first = known.get(key);
    if (first === undefined) known.set(key, index);
    else
      refuse(
        context,
        `has the condition and status of policies[${String(first)}], and both are for every reason`,
        { path: [index] },
      );
  }
}

/** Schema of the field. */
export const repair = z
  .strictObject({
    mostUnhealthy: percentage(
      "Largest share of the pool's nodes, rounded up, that may be unhealthy: while there are more, none is replaced for it, since the nodes are hardly the cause then. 0%: unhealthy nodes are never replaced; 100%: always. Default: 20%, as in Karpenter.",
    ).optional(),
    policies: policies.optional(),
  })
  .describe('How unhealthy nodes are repaired. With no field given, the defaults apply.');

/** What the field says, defaults applied. */
export interface RepairSettings {
  readonly mostUnhealthyPercent: number;
  readonly repairPolicies: readonly RepairPolicy[];
}

const DEFAULT_GRACE = '10m';

export function repairOf(document: z.output<typeof repair> = {}): RepairSettings {
  const { mostUnhealthy, policies: given = [] } = document;
  return {
    mostUnhealthyPercent:
      mostUnhealthy === undefined ? DEFAULT_MOST_UNHEALTHY_PERCENT : parseInt(mostUnhealthy, 10),
    repairPolicies: specificFirst(given.map(policyOf)),
  };
}

function policyOf(document: z.output<typeof policy>): RepairPolicy {
  const { conditionType, conditionStatus, reasons, tolerationDuration } = document;
  const { priority = 0, action = 'Replace' } = document;
  return {
    conditionType,
    conditionStatus,
    reasons,
    tolerationSeconds: durationSeconds(tolerationDuration),
    terminationGracePeriodSeconds: durationSeconds(document.terminationGracePeriod ?? DEFAULT_GRACE),
    priority,
    action,
  };
}
