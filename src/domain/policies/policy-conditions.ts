/** The conditions of a PolicyStatus, from which docs/reference/conditions.md is written. */
import type { ConditionOf, ConditionTable } from '../values/condition.js';

/** What the cloud says of one part of a node class; the reason of True is the condition's type. */
const UNRESOLVED = {
  NoneFound: { statuses: ['False'], when: 'nothing in the cloud matches the selector terms' },
  AwaitingReconciliation: { statuses: ['Unknown'], when: 'the cloud was not asked yet' },
  NotResolved: { statuses: ['Unknown'], when: 'the cloud could not be asked; the message has its error' },
} as const;

/** Why an accepted node class is refused still, as Karpenter says it. */
const REFUSALS = {
  KubeletExpressionsDisabled: {
    statuses: ['False'],
    when: '`spec.kubelet` has CEL expressions, and they are not enabled (`--kubelet-expressions`)',
  },
  KubeletExpressionInvalid: {
    statuses: ['False'],
    when: 'an expression in `spec.kubelet` does not compile; the message has the reason',
  },
  KubeletExpressionEvaluationFailed: {
    statuses: ['False'],
    when: 'an expression in `spec.kubelet` has no value that can be used for some instance type; the message names them',
  },
} as const;

export type NodeClassRefusalReason = keyof typeof REFUSALS;

export function isNodeClassRefusal(reason: string): reason is NodeClassRefusalReason {
  return reason in REFUSALS;
}

const NODE_CLASS = ['node class'] as const;
const NODE_POOL = ['NodePool'] as const;

/** By type; `kinds` are the policies whose status has it. */
export const POLICY_CONDITIONS = {
  Accepted: {
    kinds: ['NodePool', 'node class', 'NodeOverlay', 'PodDefaults'],
    meaning: 'the document is valid and active',
    reasons: {
      Accepted: { statuses: ['True'], when: 'the document has no errors' },
      Invalid: {
        statuses: ['False'],
        when: 'the document has errors, which the message lists; the last accepted version stays active',
      },
      DocumentMissing: { statuses: ['False'], when: 'the document was removed: the policy is frozen' },
      Deleted: {
        statuses: ['False'],
        when: 'the document was removed, and `berth.sh/delete` says what becomes of its nodes',
      },
    },
  },
  Unique: {
    kinds: ['NodePool', 'node class', 'NodeOverlay', 'PodDefaults'],
    meaning: 'no other document has the same kind and name; only there when it is False',
    reasons: {
      DuplicateName: {
        statuses: ['False'],
        when: 'another document has; the message says which one is used',
      },
    },
  },
  NodeClassReady: {
    kinds: NODE_POOL,
    meaning: 'instances can be launched from the node class of the NodePool',
    reasons: {
      NodeClassReady: { statuses: ['True'], when: 'the node class is accepted and ready' },
      NodeClassNotFound: { statuses: ['False'], when: 'no node class of that name is accepted' },
      NodeClassFrozen: { statuses: ['False'], when: 'the document of the node class was removed' },
      NodeClassNotReady: {
        statuses: ['False'],
        when: 'the node class is not Ready; the message has the reason',
      },
    },
  },
  NodeRegistrationHealthy: {
    kinds: NODE_POOL,
    meaning: 'instances of the NodePool register as nodes and become Ready; not there before one failed to',
    reasons: {
      Registered: { statuses: ['True'], when: 'the last instances registered' },
      RegistrationFailed: {
        statuses: ['False'],
        when: 'so many consecutive instances failed that launches are stopped, except for one trial launch at a time',
      },
      InitializationFailed: {
        statuses: ['False'],
        when: 'as RegistrationFailed; the last one registered, but was never Ready',
      },
    },
  },
  DriftRolledOut: {
    kinds: NODE_POOL,
    meaning: 'no node differs from what the NodePool asks for; only there with `berth.driftRollout`',
    reasons: {
      RolledOut: { statuses: ['True'], when: 'no node differs' },
      Canary: { statuses: ['False'], when: 'the first nodes are replaced' },
      Soaking: { statuses: ['False'], when: 'the first nodes are ready, and the others wait' },
      RollingOut: { statuses: ['False'], when: 'the others are replaced as budgets let them go' },
      Paused: {
        statuses: ['False'],
        when: 'as `berth.driftRollout.pauseOn` says; the message has the target and the reason. To resume, annotate the PolicyStatus `berth.sh/resume-drift` with the target',
      },
    },
  },
  SubnetsReady: {
    kinds: NODE_CLASS,
    meaning: 'the node class selects subnets',
    reasons: { SubnetsReady: { statuses: ['True'], when: 'the message lists them' }, ...UNRESOLVED },
  },
  SecurityGroupsReady: {
    kinds: NODE_CLASS,
    meaning: 'the node class selects security groups',
    reasons: { SecurityGroupsReady: { statuses: ['True'], when: 'the message lists them' }, ...UNRESOLVED },
  },
  AMIsReady: {
    kinds: NODE_CLASS,
    meaning: 'the node class selects images',
    reasons: { AMIsReady: { statuses: ['True'], when: 'the message lists them' }, ...UNRESOLVED },
  },
  InstanceProfileReady: {
    kinds: NODE_CLASS,
    meaning: 'the nodes have an instance profile',
    reasons: {
      InstanceProfileReady: { statuses: ['True'], when: 'the message names it' },
      NoInstanceProfile: {
        statuses: ['False'],
        when: 'there is none for `spec.role`; the message of Ready has the reason',
      },
      AwaitingReconciliation: UNRESOLVED.AwaitingReconciliation,
      NotResolved: UNRESOLVED.NotResolved,
    },
  },
  CapacityReservationsReady: {
    kinds: NODE_CLASS,
    meaning: 'the cloud said which capacity reservations the node class selects, if any',
    reasons: {
      CapacityReservationsReady: { statuses: ['True'], when: 'the message lists them' },
      AwaitingReconciliation: UNRESOLVED.AwaitingReconciliation,
      NotResolved: UNRESOLVED.NotResolved,
    },
  },
  PlacementGroupReady: {
    kinds: NODE_CLASS,
    meaning:
      'the placement group that the node class selects is there; only of a node class that selects one',
    reasons: {
      PlacementGroupReady: { statuses: ['True'], when: 'the message names it' },
      PlacementGroupNotFound: {
        statuses: ['False'],
        when: 'there is none, or none that can be used; the message of Ready has the reason',
      },
    },
  },
  ValidationSucceeded: {
    kinds: ['NodePool', 'node class', 'NodeOverlay'],
    meaning: 'the document as it is now has no errors, and a NodeOverlay contradicts no other one',
    reasons: {
      ValidationSucceeded: { statuses: ['True'], when: 'it has none, and contradicts none' },
      Invalid: { statuses: ['False'], when: 'as Accepted says; of a NodePool or a node class' },
      Conflict: {
        statuses: ['False'],
        when: 'another NodeOverlay of the same weight sets the same field of the same offering',
      },
      ...REFUSALS,
    },
  },
  Ready: {
    kinds: ['NodePool', 'node class', 'NodeOverlay', 'PodDefaults'],
    meaning: 'the policy is used',
    reasons: {
      Ready: { statuses: ['True'], when: 'it is active, and so is everything that it refers to' },
      NotAccepted: { statuses: ['False'], when: 'no version of it was ever accepted' },
      Invalid: { statuses: ['False'], when: 'as Accepted says, and no version of it is active' },
      DocumentMissing: { statuses: ['False'], when: 'as Accepted says' },
      Deleted: { statuses: ['False'], when: 'as Accepted says' },
      NodeClassNotFound: { statuses: ['False'], when: 'as NodeClassReady says' },
      NodeClassFrozen: { statuses: ['False'], when: 'as NodeClassReady says' },
      NodeClassNotReady: { statuses: ['False'], when: 'as NodeClassReady says' },
      Conflict: { statuses: ['False'], when: 'as ValidationSucceeded says' },
      NotResolved: {
        statuses: ['False', 'Unknown'],
        when: 'the node class cannot be launched from (False), or the cloud could not be asked (Unknown)',
      },
      AwaitingReconciliation: {
        statuses: ['Unknown'],
        when: 'the cloud was not asked about the node class yet',
      },
    },
  },
} as const satisfies ConditionTable<{ readonly kinds: readonly string[] }>;

/** A condition with a reason and a status that it may have. */
export type PolicyCondition = ConditionOf<typeof POLICY_CONDITIONS>;
export type PolicyConditionType = PolicyCondition['type'];
