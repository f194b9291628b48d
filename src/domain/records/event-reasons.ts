/** The reasons of the events that Berth emits: one table, from which docs/reference/events.md is written. */

export type EventType = 'Normal' | 'Warning';

/** The kinds of object that events are about. */
export type EventKind = 'NodeClaim' | 'Pod' | 'PolicyStatus' | 'Namespace';

/** A reason: what an event with it says, and what a user does about it. Sentences without a full stop. */
interface EventRow {
  readonly types: readonly EventType[];
  readonly kinds: readonly EventKind[];
  readonly when: string;
  /** '' where nothing has to be done. */
  readonly remedy: string;
}

const NORMAL = ['Normal'] as const;
const WARNING = ['Warning'] as const;
const BOTH = ['Normal', 'Warning'] as const;
const CLAIM = ['NodeClaim'] as const;
const POD = ['Pod'] as const;
const POLICY = ['PolicyStatus'] as const;
const NAMESPACE = ['Namespace'] as const;

/** Karpenter's reasons where it has them. */
export const EVENT_REASONS = {
  Accepted: {
    types: NORMAL,
    kinds: POLICY,
    when: 'a document of a policy ConfigMap is valid and now active',
    remedy: '',
  },
  AuthorityLost: {
    types: WARNING,
    kinds: NAMESPACE,
    when: 'the CA was lost with its Secret while no replica ran, and Berth made a new one',
    remedy:
      'copy ca.crt, scheduler.crt and scheduler.key of Secret berth-certificates into the configuration of kube-scheduler, and restart it',
  },
  AwaitingVolumeDetachment: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the pods have left the node, and its instance runs until their volumes are detached',
    remedy:
      'if it lasts, look at the VolumeAttachments of the node and at the CSI driver; a terminationGracePeriod limits the wait',
  },
  CapacityBlockEnding: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the cloud terminates the instances of the capacity block in ten minutes; the node is replaced and drained',
    remedy: '',
  },
  CapacityTypeChanged: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the capacity reservation of the instance has ended or was cancelled: the node is labelled, and counted, as on-demand',
    remedy:
      'a NodePool that requires reserved capacity replaces the node (RequirementsDrifted); allow on-demand in karpenter.sh/capacity-type to keep it',
  },
  Conflict: {
    types: WARNING,
    kinds: POLICY,
    when: 'a NodeOverlay contradicts another one of the same weight',
    remedy: 'give one of them another weight, or narrow its requirements',
  },
  Deleted: {
    types: BOTH,
    kinds: ['NodeClaim', 'PolicyStatus'],
    when: 'NodeClaim: another client deleted it or its node. PolicyStatus: its document was removed, and its nodes are drained or orphaned (Warning) or nothing is left of it (Normal)',
    remedy: '',
  },
  DisruptionBlocked: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the node is due for disruption, and a rule forbids it or a disruption was canceled',
    remedy: 'the message names the rule and the change that would allow it',
  },
  DisruptionLaunching: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the node will be removed as soon as its replacement is ready',
    remedy: '',
  },
  DisruptionTerminating: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the node will be removed without a replacement',
    remedy: '',
  },
  DocumentMissing: {
    types: WARNING,
    kinds: POLICY,
    when: 'the document of an active policy was removed: the policy is frozen',
    remedy: 'restore the document, or annotate the PolicyStatus `berth.sh/delete` with `drain` or `orphan`',
  },
  Drained: { types: NORMAL, kinds: CLAIM, when: 'all pods of the node terminated', remedy: '' },
  DriftPaused: {
    types: WARNING,
    kinds: POLICY,
    when: 'the staged roll-out of drift in the NodePool is paused (`berth.driftRollout.pauseOn`)',
    remedy:
      'change the NodePool or its node class, for example back to the image before; or annotate the PolicyStatus `berth.sh/resume-drift` with the target that its condition DriftRolledOut names',
  },
  DuplicateName: {
    types: WARNING,
    kinds: POLICY,
    when: 'two documents have the same kind and name; the message says which one is used',
    remedy: 'remove or rename one of them',
  },
  Evicted: {
    types: NORMAL,
    kinds: POD,
    when: 'the pod was evicted because its node is being drained',
    remedy: '',
  },
  EvictedForResize: {
    types: NORMAL,
    kinds: POD,
    when: 'the in-place resize of a pod with `berth.sh/move-deferred-resize` is Deferred: it was evicted, and room for what it asks for is held on another node',
    remedy: '',
  },
  FailedConsistencyCheck: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the node has less than 90 % of a resource that it was asked for and that its instance type promises',
    remedy: 'check the image and the device plugins of the node; drain it if its pods need the resource',
  },
  FailedDraining: {
    types: WARNING,
    kinds: CLAIM,
    when: 'PodDisruptionBudgets or `karpenter.sh/do-not-disrupt` keep pods on the node, or the API server refuses to evict them for another reason',
    remedy:
      'relax the budget, leave one budget per pod, add healthy pods, remove the annotation, or mend what the message says; a terminationGracePeriod limits the wait',
  },
  FailedScheduling: {
    types: WARNING,
    kinds: POD,
    when: 'no NodePool can hold the pod, or the launch for it is delayed',
    remedy: 'the message names the nearest change; `berth explain pod` lists every NodePool',
  },
  HourlyCostLimited: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the launch would exceed `--max-hourly-cost`',
    remedy: 'raise the limit, or remove other nodes',
  },
  Initialized: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the node is Ready, and has its resources and no startup taint',
    remedy: '',
  },
  InitializationTimeout: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the node registered, but was not Ready for 15 minutes; it has no pods and is terminated',
    remedy: 'check the CNI and the image of the node class; see the console output of the instance',
  },
  InstanceGone: {
    types: BOTH,
    kinds: CLAIM,
    when: 'the instance disappeared although Berth did not terminate it (Warning), or terminated before its pods (Normal)',
    remedy: 'see in the audit log of the cloud who terminated it',
  },
  InstanceStopping: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the instance is stopped by another client; its NodeClaim is deleted',
    remedy: 'do not stop instances of Berth: delete their nodes',
  },
  InstanceTerminating: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the instance is terminated by another client or the cloud; its NodeClaim is deleted',
    remedy: 'see in the audit log of the cloud who terminated it',
  },
  InstanceUnhealthy: {
    types: WARNING,
    kinds: CLAIM,
    when: 'a status check of the cloud has failed for two minutes; the NodeClaim is deleted, and its pods are not waited for',
    remedy: 'see the system log of the instance in the console of the cloud, if it happens to many',
  },
  InsufficientCapacityError: {
    types: WARNING,
    kinds: CLAIM,
    when: 'none of the compatible offerings is available; the pods are planned again',
    remedy: 'allow more instance types, zones or capacity types if it persists',
  },
  Invalid: {
    types: WARNING,
    kinds: POLICY,
    when: 'a document has errors; the last accepted version stays active',
    remedy: 'fix what the message lists; `berth validate` finds the same before you apply',
  },
  Launched: { types: NORMAL, kinds: CLAIM, when: 'the cloud launched the instance', remedy: '' },
  LaunchDelayed: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the cloud is throttling or unreachable; the launch is retried',
    remedy: 'check the quotas of the API and the network if it persists',
  },
  LaunchFailed: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the cloud refused the launch for a reason that no other offering of the NodePool avoids; it is retried, and after 15 seconds the NodeClaim ends and plans leave the NodePool out for a minute',
    remedy: 'fix what the message says: permissions, launch settings, quotas',
  },
  LaunchRateLimited: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the launch exceeds `--max-nodes-per-minute` and is delayed',
    remedy: 'raise the limit if bursts of this size are normal',
  },
  LaunchTimeout: {
    types: WARNING,
    kinds: CLAIM,
    when: 'no instance was launched within 5 minutes; the pods are planned again',
    remedy: 'see the earlier events of the NodeClaim',
  },
  LaunchUnknown: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the client token was used for another request and no instance of it was found',
    remedy: '',
  },
  NodeClassNotFound: {
    types: WARNING,
    kinds: POLICY,
    when: 'a NodePool refers to a node class that does not exist or was never accepted',
    remedy: 'add the node class or change `nodeClassRef`',
  },
  NodeClassNotReady: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the node class cannot be launched from; the launch is retried',
    remedy: 'fix the selectors or settings that the message names',
  },
  NodeGone: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the node disappeared although its instance runs; the instance is terminated',
    remedy: 'see in the audit log of Kubernetes who deleted the node',
  },
  NodeNotFound: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'nothing has to be drained, because the instance has no node',
    remedy: '',
  },
  NoReservation: {
    types: WARNING,
    kinds: CLAIM,
    when: 'no Reservation was written for the NodeClaim in time; its pods are planned again',
    remedy: 'check the latency of the API server if it repeats',
  },
  NotResolved: {
    types: WARNING,
    kinds: POLICY,
    when: 'the cloud finds no subnet, security group or image for the node class',
    remedy: 'fix the selector terms or the tags of the resources',
  },
  NotStamped: {
    types: WARNING,
    kinds: POD,
    when: 'a new pod lacks the scheduling gate or the scheduler that PodDefaults say: the API server did not reach the webhook; once for each controller of pods in ten minutes',
    remedy:
      'delete the pod if it must have them, so that its controller creates it again; see why the API server did not reach the webhook',
  },
  Observed: {
    types: NORMAL,
    kinds: POLICY,
    when: 'with --mode observe, a period has ended; the message compares the cost of the nodes with that of the nodes which Berth would have',
    remedy: '',
  },
  OrphansBraked: {
    types: WARNING,
    kinds: NAMESPACE,
    when: 'more instances than `--max-orphan-percent` have no NodeClaim: none is terminated',
    remedy: 'restore the NodeClaims, terminate the instances or raise the limit',
  },
  OrphansLimited: {
    types: WARNING,
    kinds: NAMESPACE,
    when: 'more instances than `--max-orphans-per-round` have no NodeClaim: the others follow later',
    remedy: '',
  },
  Paused: {
    types: WARNING,
    kinds: NAMESPACE,
    when: 'Berth was paused: instances are neither launched nor terminated',
    remedy: '`berth resume` ends it',
  },
  PolicyDeleted: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the policy of the node was removed with `berth.sh/delete: drain`; the node is drained',
    remedy: '',
  },
  RebootFailed: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the cloud refused to reboot the instance of an unhealthy node, or the node was not Ready in time: it is replaced',
    remedy: 'the message has the reason; a missing permission has to be given to the controller',
  },
  RebootObserved: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the instance of an unhealthy node was rebooted: the node is Ready with a new boot ID',
    remedy: '',
  },
  RebootRequested: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'an unhealthy node is drained and its instance rebooted, as its repair policy says (`action: Reboot`)',
    remedy: '',
  },
  Registered: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the node of the instance joined the cluster',
    remedy: '',
  },
  RegistrationRecovered: {
    types: NORMAL,
    kinds: POLICY,
    when: 'an instance of the NodePool registered, or became Ready, again: launches are resumed',
    remedy: '',
  },
  RegistrationRefused: {
    types: WARNING,
    kinds: CLAIM,
    when: 'a request that registers or initializes the node is refused by the API server or the cloud; a node that was not registered within 15 minutes is terminated',
    remedy:
      'the message has the request and the reason: an admission policy, a webhook or a missing permission',
  },
  RegistrationStopped: {
    types: WARNING,
    kinds: ['NodeClaim', 'PolicyStatus'],
    when: 'too many consecutive instances of the NodePool failed to register or never became Ready (`--max-registration-failures`): launches are stopped',
    remedy: 'check the image, user data and network of the node class',
  },
  RegistrationTimeout: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the instance did not register as a node within 15 minutes and is terminated',
    remedy:
      'check the image, user data and network of the node class; see the console output of the instance',
  },
  Replacement: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the NodeClaim was created to replace others',
    remedy: '',
  },
  ReplicasMissing: {
    types: WARNING,
    kinds: POLICY,
    when: 'a NodePool has fewer nodes than `spec.replicas` or `berth.minimumNodes`, and no more can be launched now',
    remedy:
      'the message has the reason: raise `limits.nodes`, or allow more instance types, zones or capacity types',
  },
  ReplacementDiscarded: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the disruption that needed this replacement was canceled',
    remedy: '',
  },
  Resumed: { types: NORMAL, kinds: NAMESPACE, when: 'Berth was resumed', remedy: '' },
  RoomTaken: {
    types: WARNING,
    kinds: POD,
    when: 'the pod was bound into room that was held for planned pods, which are planned again; the message names them and the scheduler',
    remedy:
      'have one scheduler bind the pods of a node: give the pod `schedulerName: berth-scheduler`, or keep it off nodes of Berth',
  },
  ScaledDown: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the static NodePool of the node has more nodes than `spec.replicas`',
    remedy: '',
  },
  ScheduledChange: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the cloud scheduled maintenance or retirement of the instance; it is replaced',
    remedy: '',
  },
  SchedulingGateRemoved: {
    types: BOTH,
    kinds: POD,
    when: 'the scheduling gate of the pod was removed without a node for it (Warning), or with it and the room there is gone: its controller replaces the pod (Normal), or has to be asked to (Warning)',
    remedy: 'the message has the reason; a pod without a controller has to be deleted and created again',
  },
  SpotInterrupted: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the spot instance is reclaimed in two minutes; it is replaced and drained',
    remedy: '',
  },
  SpotRebalanceRecommendation: {
    types: BOTH,
    kinds: CLAIM,
    when: 'the spot instance has an elevated risk of interruption: it is replaced (Warning) or left alone (Normal)',
    remedy: '',
  },
  Surging: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'a pod with `berth.sh/surge` leaves the node, and its Deployment gets a replica more before',
    remedy: '',
  },
  SurgeFailed: {
    types: WARNING,
    kinds: CLAIM,
    when: 'a pod with `berth.sh/surge` is evicted as any other; the message has the reason',
    remedy: 'remove what the message names, or the annotation',
  },
  Terminated: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the instance was terminated and the node removed',
    remedy: '',
  },
  TerminationGracePeriodElapsed: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'the terminationGracePeriod ended with pods left on the node; the instance is terminated',
    remedy: '',
  },
  TerminationGracePeriodExpiring: {
    types: WARNING,
    kinds: CLAIM,
    when: 'a pod was deleted rather than evicted, because the terminationGracePeriod of the node ends',
    remedy: 'lengthen the period if such pods need more time',
  },
  TerminationsLimited: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'as many nodes as `--max-concurrent-terminations` are being drained or terminated; this one waits',
    remedy: '',
  },
  TooManyPreferences: {
    types: WARNING,
    kinds: POD,
    when: 'the pod has more preferred terms than are relaxed one at a time',
    remedy: 'keep at most as many preferences as the message says',
  },
  Unconsolidatable: {
    types: NORMAL,
    kinds: CLAIM,
    when: 'consolidation leaves the node alone',
    remedy: 'the message has the reason and the change that would help',
  },
  UnregisteredTaintMissing: {
    types: WARNING,
    kinds: CLAIM,
    when: 'the node registered without the taint `karpenter.sh/unregistered`',
    remedy: 'let the user data of the node class register the node with that taint',
  },
  ZonalShiftActive: {
    types: WARNING,
    kinds: NAMESPACE,
    when: 'the cluster is shifted away from a zone: nothing is launched there, and consolidation pauses',
    remedy: '',
  },
  ZonalShiftCleared: {
    types: NORMAL,
    kinds: NAMESPACE,
    when: 'the cluster is no longer shifted away from the zone',
    remedy: '',
  },
} as const satisfies Readonly<Record<string, EventRow>>;

type Rows = typeof EVENT_REASONS;

/** Reasons of events of this type about this kind of object. */
export type EventReason<Type extends EventType = EventType, Kind extends EventKind = EventKind> = {
  [Reason in keyof Rows]: Type & Rows[Reason]['types'][number] extends never
    ? never
    : Kind & Rows[Reason]['kinds'][number] extends never
      ? never
      : Reason;
}[keyof Rows];
