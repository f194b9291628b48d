/** The conditions of a NodeClaim, from which docs/reference/conditions.md is written; those of disruption methods stand with them. */
import type { ConditionOf, ConditionTable } from '../values/condition.js';

/** In the order in which they come true; the last three only while the claim goes. */
export const CLAIM_CONDITIONS = {
  Launched: {
    meaning: 'the cloud launched an instance for the NodeClaim',
    reasons: {
      LaunchRequested: {
        statuses: ['Unknown'],
        when: 'the launch was recorded, and the cloud has not answered yet',
      },
      Launched: { statuses: ['True'], when: 'there is an instance' },
      LaunchFailed: {
        statuses: ['False'],
        when: 'the last attempt brought no instance; the message has the reason',
      },
    },
  },
  Registered: {
    meaning: 'the instance joined the cluster as a node',
    reasons: {
      Registered: { statuses: ['True'], when: 'there is a node with the providerID of the instance' },
    },
  },
  Initialized: {
    meaning: 'the node can run the pods that are planned for it',
    reasons: {
      Initialized: {
        statuses: ['True'],
        when: 'the node is Ready, and has the resources asked for and no startup taint',
      },
      Rebooting: {
        statuses: ['Unknown'],
        when: 'its instance was rebooted, and the node is not up again yet',
      },
    },
  },
  ConsistentStateFound: {
    meaning:
      'the node has at least 90 % of what its instance type promises, in each resource that was asked for',
    reasons: {
      ConsistentStateFound: { statuses: ['True'], when: 'it has, as an Initialized node' },
      ConsistencyCheckFailed: { statuses: ['False'], when: 'it has less; the message lists the resources' },
    },
  },
  Ready: {
    meaning: 'Launched, Registered and Initialized are True',
    reasons: {
      Ready: { statuses: ['True'], when: 'all three are True' },
      NotLaunched: { statuses: ['False'], when: 'Launched is not True' },
      NotRegistered: { statuses: ['False'], when: 'Registered is not True' },
      NotInitialized: { statuses: ['False'], when: 'Initialized is not True' },
    },
  },
  Interrupted: {
    meaning: 'the cloud takes the instance back: the node is replaced at once',
    reasons: {
      SpotInterruption: { statuses: ['True'], when: 'the spot instance is reclaimed in two minutes' },
      CapacityBlockEnding: {
        statuses: ['True'],
        when: 'the cloud terminates the instances of the capacity block in ten minutes',
      },
      ScheduledChange: {
        statuses: ['True'],
        when: 'maintenance or retirement is scheduled, or the spot instance is likely to be reclaimed soon',
      },
    },
  },
  Rebooting: {
    meaning: 'node repair reboots the instance; the node keeps its NodeClaim',
    reasons: {
      RebootRequested: { statuses: ['True'], when: 'the node is being drained, or the cloud being asked' },
      RebootIssued: { statuses: ['True'], when: 'the cloud accepted, and the node is not up again yet' },
      RebootSucceeded: { statuses: ['False'], when: 'the node is Ready with a new boot ID' },
      RebootFailed: {
        statuses: ['False'],
        when: 'the cloud refused, or the node was not up in time: it is replaced; the message has the reason',
      },
    },
  },
  Drained: {
    meaning: 'the pods of the node have left, or are no longer waited for',
    reasons: {
      Drained: { statuses: ['True'], when: 'all pods of the node terminated' },
      NodeNotFound: { statuses: ['True'], when: 'the instance has no node' },
      InstanceGone: { statuses: ['True'], when: 'the instance terminated before its pods' },
      TerminationGracePeriodElapsed: {
        statuses: ['False'],
        when: 'pods were left when the termination grace period ended',
      },
    },
  },
  VolumesDetached: {
    meaning: 'the volumes of the pods that left the node are detached, or are no longer waited for',
    reasons: {
      VolumesDetached: {
        statuses: ['True'],
        when: 'the node has no VolumeAttachments but those of pods that stay',
      },
      AwaitingVolumeDetachment: {
        statuses: ['Unknown'],
        when: 'VolumeAttachments are left; the message has their volumes',
      },
      NodeNotFound: { statuses: ['True'], when: 'the instance has no node' },
      InstanceGone: { statuses: ['True'], when: 'the instance terminated before its pods' },
      TerminationGracePeriodElapsed: {
        statuses: ['False'],
        when: 'volumes were attached when the termination grace period ended',
      },
    },
  },
  InstanceTerminating: {
    meaning: 'the cloud was asked to terminate the instance',
    reasons: { InstanceTerminating: { statuses: ['True'], when: 'the request was accepted' } },
  },
} as const satisfies ConditionTable;

/** A condition that is not about disruption, with a reason and a status that it may have. */
export type ClaimCondition = ConditionOf<typeof CLAIM_CONDITIONS>;
export type ClaimConditionType = ClaimCondition['type'];

/** In what a node may differ from its NodePool and node class: the reasons of the condition Drifted, in Karpenter's words. */
export const DRIFT_REASONS = {
  NodePoolDrifted: 'the template of the NodePool has changed since the NodeClaim was created',
  NodeClassDrifted:
    'the node class, or the certificate authority of the cluster, has changed since the NodeClaim was created',
  RequirementsDrifted: 'a label of the node no longer meets the requirements of the NodePool',
  InstanceTypeNotFound: 'the instance type is no longer offered in the zone of the node',
  AMIDrift: 'the image of the instance is no longer among those of the node class',
  SubnetDrift: 'the subnet of the instance is no longer among those of the node class',
  SecurityGroupDrift: 'the instance has other security groups than the node class selects',
  CapacityReservationDrift: 'the node class no longer selects the capacity reservation of the instance',
  PlacementGroupDrift: 'the instance is in another placement group than the node class selects, or in none',
} as const;
export type DriftReason = keyof typeof DRIFT_REASONS;
