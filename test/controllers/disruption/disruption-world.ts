/**
 * A whole life of nodes in memory: workloads that make their pods anew, a scheduler that asks our extender, instances, and all of
 * Berth's loops, which can be killed and started again.
 */
import { setMaxListeners } from 'node:events';
import { InlinePlanner } from '../../support/inline-planner.js';
import { ConditionsController } from '../../../src/controllers/disruption/conditions/conditions-controller.js';
import { DisruptionApprovals } from '../../../src/controllers/disruption/commands/disruption-approvals.js';
import { DisruptionController } from '../../../src/controllers/disruption/disruption-controller.js';
import { DriftRollouts } from '../../../src/controllers/disruption/rollout/drift-rollouts.js';
import { EmptyingController } from '../../../src/controllers/disruption/emptying/emptying-controller.js';
import { PodEvents } from '../../../src/controllers/disruption/conditions/pod-events.js';
import { ApprovalController } from '../../../src/controllers/approval/approval-controller.js';
import type { ApprovalSettings } from '../../../src/controllers/approval/approval-settings.js';
import { LaunchApprovals } from '../../../src/controllers/approval/launch-approvals.js';
import { Proposals } from '../../../src/controllers/approval/proposals.js';
import { CapacityBuffersController } from '../../../src/controllers/capacity-buffers/capacity-buffers-controller.js';
import { ResolvedBuffers } from '../../../src/controllers/capacity-buffers/resolved-buffers.js';
import { ClaimsInWork } from '../../../src/controllers/claims-in-work.js';
import type { DisruptionSettings } from '../../../src/controllers/disruption/passes/disruption-context.js';
import { InterruptionController } from '../../../src/controllers/interruption/interruption-controller.js';
import { NodeClaimController } from '../../../src/controllers/node-claim/node-claim-controller.js';
import { RebootController } from '../../../src/controllers/node-claim/reboot/reboot-controller.js';
import { NominationController } from '../../../src/controllers/reservations/nomination-controller.js';
import { StaticPoolsController } from '../../../src/controllers/static-pools/static-pools-controller.js';
import { Safeguards } from '../../../src/controllers/safeguards/safeguards.js';
import { ResolvedNodeClasses } from '../../../src/controllers/policies/resolved-node-classes.js';
import { ProvisioningController } from '../../../src/controllers/provisioning/provisioning-controller.js';
import { ReservationsController } from '../../../src/controllers/reservations/reservations-controller.js';
import { DISRUPTED_TAINT, type NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import type { ObservedNode } from '../../../src/domain/nodes/observed-node.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { DELETION_COST } from '../../../src/domain/pods/movable-pods.js';
import { podKey } from '../../../src/domain/pods/pod.js';
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import { isProposal, phaseOf, type ProposedDecision } from '../../../src/domain/records/decision.js';
import type { ProposalPhase, Verdict } from '../../../src/domain/records/proposal.js';
import { requirementsFromLabels } from '../../../src/domain/values/requirements.js';
import { filter } from '../../../src/planning/placement/filter.js';
import type { Cloud, ResolvedNodeClass } from '../../../src/ports/cloud.js';
import type { KubeWriter } from '../../../src/ports/kube-writer.js';
import type { Planner } from '../../../src/ports/planner.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Mutex } from '../../../src/runtime/concurrency/mutex.js';
import { acceptedNodeClass } from '../../../src/state/policies/accepted-node-class.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { PlacementAnswers } from '../../../src/state/ledger/placement-answers.js';
import { RoomLedger } from '../../../src/state/ledger/room-ledger.js';
import { UnavailableOfferings } from '../../../src/state/nodes/unavailable-offerings.js';
import { disruptionOptions } from '../../support/builders/disruption-input.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import {
  nodeClassDocument,
  policyConfigMap,
  policyDocument,
} from '../../support/builders/policy-document.js';
import { nodePoolDocument, policyStatus } from '../../support/builders/policy-status.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { smallCloudCatalogue } from '../../support/small-cloud.js';
import { ClaimWorld } from '../node-claim/claim-world.js';
import { schedule, type Extend } from '../provisioning/stand-in-scheduler.js';
import { MemoryQueue } from './memory-queue.js';

const STEP_MILLIS = 500;

/** A process that leads. */
interface Process {
  readonly cluster: Cluster;
  readonly ledger: RoomLedger;
  readonly kill: () => void;
}

interface Deployment {
  replicas: number;
  readonly pod: ObservedPodOverrides;
}

export class DisruptionWorld {
  readonly instances = new ClaimWorld({ catalogue: smallCloudCatalogue() });
  readonly kube = this.instances.kube;
  readonly objects = this.kube.objects;
  readonly clock = this.instances.clock;
  readonly told = recordedDecisions();
  readonly metrics = createMetrics();
  readonly queue = new MemoryQueue(this.clock);
  readonly unavailableOfferings = new UnavailableOfferings();
  /** What the planner was asked, in order. */
  readonly questions: ('plan' | 'disrupt')[] = [];
  readonly settings: Partial<DisruptionSettings>;
  /** Plans of a pass of disruption; undefined: as many as usual. Of the process that is started next. */
  simulations: number | undefined;
  /** How long a pass of disruption takes, unless it is given up. */
  passMillis = 0;
  /** Passes that were answered. */
  passes = 0;
  /** What node classes amount to, where it is not what the cloud says. */
  resolution: Partial<ResolvedNodeClass> = {};
  /** Whether nodes that should go are emptied by pod deletion costs; of the process that is started next. */
  empties = false;
  /** What waits for approval; undefined: nothing does. Of the process that is started next. */
  approval: Partial<ApprovalSettings> | undefined;
  /** Whether kube-scheduler has our extender; without it nominations are all that it knows of plans. */
  asksExtender = true;
  readonly #deployments = new Map<string, Deployment>();
  #pods = 0;
  #process: Process | undefined;

  constructor(pool: JsonObject = {}, settings: Partial<DisruptionSettings> = {}) {
    this.settings = settings;
    this.policies(pool);
  }

  /** Replaces the documents; `pool` is the spec of NodePool `general` but for its template's node class. */
  policies(pool: JsonObject, berth?: JsonObject): void {
    const general = { ...nodePoolDocument('general', pool), ...(berth && { berth }) };
    const documents = [general, nodeClassDocument('default')].map((document) => policyDocument(document));
    this.objects.put('PolicyConfigMap', policyConfigMap(documents));
    for (const { kind, name, document, source, hash, value } of documents)
      this.objects.put('PolicyStatus', {
        ...policyStatus({ kind, policy: name }),
        lastAccepted: { source, document, hash, value },
      });
  }

  /** Starts Berth's loops. */
  start(kube: KubeWriter = this.kube): Process {
    const { clock, log } = this.instances;
    const cloud = this.#cloud();
    const catalogue = (): ReturnType<typeof smallCloudCatalogue> => this.instances.catalogue;
    const cluster = new Cluster();
    const unwatch = this.objects.watch(cluster);
    const ledger = new RoomLedger({ cluster, clock });
    const abort = new AbortController();
    setMaxListeners(0, abort.signal);
    const { unavailableOfferings, metrics, queue } = this;
    const random = seededRandom(3);
    const podEvents = new PodEvents(clock);
    const parts = {
      ...{ cluster, kube, cloud, clock, catalogue, random, metrics, podEvents, unavailableOfferings },
      logger: log.logger,
      recorder: this.told.recorder,
      planner: this.#planner(cluster),
      resolved: new ResolvedNodeClasses({ cloud, clock }),
      mutex: new Mutex(),
      claimsInWork: new ClaimsInWork(),
    };
    const driftRollouts = new DriftRollouts(parts);
    const safeguards = new Safeguards(parts);
    const proposals = new Proposals({ ...parts, settings: this.approval });
    const approving = { ...parts, proposals };
    const buffers = new ResolvedBuffers(parts);
    const isOn = this.approval !== undefined;
    const nomination = new NominationController(parts);
    const emptying = this.empties ? new EmptyingController({ ...parts, safeguards, isOn: true }) : undefined;
    const controllers = [
      safeguards,
      nomination,
      new ReservationsController(parts),
      new StaticPoolsController({ ...parts, safeguards }),
      new CapacityBuffersController({ ...parts, safeguards, buffers }),
      new ProvisioningController({
        ...parts,
        safeguards,
        launchApprovals: isOn ? new LaunchApprovals(approving) : undefined,
      }),
      new ApprovalController({ ...approving, isOn }),
      new NodeClaimController({
        ...parts,
        safeguards,
        nodeClass: (name) => acceptedNodeClass(cluster, name),
        nominatePods: (claim, nodeName, signal) => nomination.nominatePods(claim, nodeName, signal),
      }),
      new RebootController({ ...parts, safeguards }),
      new ConditionsController({ ...parts, driftRollouts }),
      new DisruptionController({
        ...parts,
        driftRollouts,
        safeguards,
        buffers,
        settings: this.settings,
        ...(this.simulations !== undefined && {
          disruptionOptions: disruptionOptions({ simulations: this.simulations }),
        }),
        approvals: isOn ? new DisruptionApprovals(approving) : undefined,
        onEmptying: (claims) => {
          emptying?.rank(claims);
        },
      }),
      ...(emptying === undefined ? [] : [emptying]),
      new InterruptionController({ ...parts, queue }),
    ];
    for (const controller of controllers) void controller.run(abort.signal);
    const process = {
      cluster,
      ledger,
      kill: () => {
        unwatch();
        ledger.close();
        abort.abort();
        if (this.#process === process) this.#process = undefined;
      },
    };
    this.#process = process;
    return process;
  }

  /** Kills the process that runs, and starts another one. */
  restart(): Process {
    this.#process?.kill();
    return this.start();
  }

  /** Pods `<name>-<n>` of ReplicaSet `name`, made anew when they go. */
  deploy(name: string, replicas: number, pod: ObservedPodOverrides = {}): void {
    this.#deployments.set(name, { replicas, pod: { ...pod, labels: { app: name } } });
    this.#replicate();
  }

  scale(name: string, replicas: number): void {
    const known = this.#deployments.get(name);
    if (known !== undefined) known.replicas = replicas;
    this.#replicate();
  }

  /** Of ReplicaSet `name`: the planner counts with it, and the Eviction API forbids what it forbids. */
  protect(name: string, maxUnavailable: number): void {
    this.objects.put('PodDisruptionBudget', {
      namespace: 'default',
      name,
      selector: { requirements: requirementsFromLabels(new Map([['app', name]])) },
      minAvailable: undefined,
      maxUnavailable: { unit: 'pods', amount: maxUnavailable },
      unhealthyPodEvictionPolicy: 'IfHealthyBudget',
      status: undefined,
    });
  }

  /** The world goes on. */
  async pass(seconds: number): Promise<void> {
    for (let step = 0; step < (seconds * 1000) / STEP_MILLIS; step++) {
      await this.clock.advance(STEP_MILLIS);
      this.#replicate();
      schedule(this.objects, this.#extend);
    }
  }

  /** A long time goes by in which nobody looks at pods but every ten seconds. */
  async rest(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 10) {
      await this.clock.advance(10_000);
      this.#replicate();
      schedule(this.objects, this.#extend);
    }
  }

  /** The world goes on until this holds, for ten minutes at most; answers after how many seconds. */
  async until(holds: () => boolean): Promise<number> {
    for (let seconds = 0; seconds < 600; seconds++) {
      if (holds()) return seconds;
      await this.pass(1);
    }
    return Infinity;
  }

  pods(owner?: string): readonly ObservedPod[] {
    const pods = this.objects.list('Pod');
    return owner === undefined ? pods : pods.filter((pod) => pod.owner?.name === owner);
  }

  nodes(): readonly ObservedNode[] {
    return this.objects.list('Node');
  }

  /** Names of nodes that kube-scheduler keeps pods away from because they go. */
  tainted(): readonly string[] {
    return this.nodes()
      .filter(({ taints }) => taints.some(({ key }) => key === DISRUPTED_TAINT.key))
      .map(({ name }) => name);
  }

  claims(): readonly NodeClaim[] {
    return this.objects.list('NodeClaim');
  }

  claim(name: string): NodeClaim | undefined {
    return this.objects.get('NodeClaim', name);
  }

  /** Claims by the condition that holds. */
  claimsWith(type: string): readonly string[] {
    return this.claims()
      .filter(({ status }) => status.conditions.some((item) => item.type === type && item.status === 'True'))
      .map(({ name }) => name);
  }

  unbound(): readonly ObservedPod[] {
    return this.pods().filter(({ nodeName }) => nodeName === undefined);
  }

  instanceTypes(): readonly (string | undefined)[] {
    return this.claims()
      .map(({ status }) => status.instanceType)
      .sort();
  }

  /** What was written, by method and name, in order. */
  writes(...methods: readonly (keyof KubeWriter)[]): readonly string[] {
    return this.kube.writes
      .filter(({ method }) => methods.includes(method))
      .map(({ method, name }) => `${method} ${name}`);
  }

  /** Proposals in this phase, or all, the oldest first. */
  proposals(phase?: ProposalPhase): readonly ProposedDecision[] {
    return this.objects
      .list('Decision')
      .filter(isProposal)
      .filter((decision) => phase === undefined || phaseOf(decision) === phase)
      .sort((one, other) => one.spec.time - other.spec.time);
  }

  /** Somebody approves or rejects everything that waits. */
  say(verdict: Verdict['verdict'], reason = ''): void {
    for (const decision of this.proposals('Proposed'))
      this.objects.put('Decision', { ...decision, verdict: { verdict, by: 'ana', reason } });
  }

  reasons(): readonly string[] {
    return this.told.decisions.map(({ reason }) => reason);
  }

  /** The scheduler's question, as the extender of the process that lives answers it. */
  readonly #extend: Extend = (pod, nodes) => {
    if (this.#process === undefined || !this.asksExtender) return nodes;
    const { cluster, ledger } = this.#process;
    ledger.expire();
    ledger.release(pod.uid);
    const view = new PlacementAnswers({ cluster, ledger });
    const answer = filter(
      view,
      pod,
      nodes.map(({ name }) => name),
    );
    ledger.answered(pod, answer.nodeNames.length, answer.charge);
    return nodes.filter(({ name }) => answer.nodeNames.includes(name));
  };

  #planner(cluster: Cluster): Planner {
    const planner = new InlinePlanner({ cluster, clock: this.clock });
    return {
      plan: (request, signal) => {
        this.questions.push('plan');
        return planner.plan(request, signal);
      },
      disrupt: async (request, signal) => {
        this.questions.push('disrupt');
        if (this.passMillis > 0) await this.clock.sleep(this.passMillis, signal);
        const answer = await planner.disrupt(request, signal);
        this.passes++;
        return answer;
      },
      close: () => planner.close(),
    };
  }

  #cloud(): Cloud {
    const { cloud } = this.instances;
    return new Proxy(cloud, {
      get: (target, name): unknown => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'resolveNodeClass') return member.bind(target) as unknown;
        return async (...args: Parameters<Cloud['resolveNodeClass']>) => ({
          ...(await target.resolveNodeClass(...args)),
          ...this.resolution,
        });
      },
    });
  }

  #replicate(): void {
    for (const [name, { replicas, pod }] of this.#deployments) {
      const live = [...this.pods(name)].filter(({ terminating }) => !terminating);
      const changed = live.length !== replicas;
      live.sort((left, right) => deletionCost(right) - deletionCost(left));
      for (const surplus of live.slice(replicas)) this.objects.remove('Pod', podKey(surplus));
      for (let missing = live.length; missing < replicas; missing++) this.#create(name, pod);
      if (changed)
        this.objects.put('Workload', {
          ...{ kind: 'ReplicaSet', namespace: 'default', name },
          wantedPods: replicas,
          createdPods: replicas,
        });
    }
  }

  #create(name: string, pod: ObservedPodOverrides): void {
    this.#pods++;
    const suffix = String(this.#pods);
    this.objects.put(
      'Pod',
      observedPod({
        ...pod,
        name: `${name}-${suffix}`,
        uid: `uid-${name}-${suffix}`,
        owner: { kind: 'ReplicaSet', name },
        templateHash: 'v1',
        createdAt: this.clock.now(),
        scheduled: undefined,
      }),
    );
  }
}

/** By which a ReplicaSet chooses among its pods. */
function deletionCost({ annotations }: ObservedPod): number {
  return Number(annotations.get(DELETION_COST) ?? '0');
}
