/** The AWS that Berth talks to in tests and demonstrations: EC2, SQS, SSM, prices, IAM and EKS behind one address. */
import type { Clock } from '../../src/ports/clock.js';
import type { Random } from '../../src/ports/random.js';
import type { PoolPattern } from './model/capacity-stock.js';
import type { WireAnswer, WireHandler, WireRequest } from '../wire/wire.js';
import type { Access } from './iam/access.js';
import { buildAccount } from './build-account.js';
import { withDefaults, type AwsSimulatorOptions } from './aws-simulator-options.js';
import type { Account } from './ec2/account/account.js';
import type { CapacityReservation } from './ec2/instances/capacity-reservations.js';
import type { PlacementGroup } from './ec2/instances/placement-groups.js';
import type { SimulatedImage } from './ec2/images/image.js';
import type { OwnImage, Publication } from './ec2/images/images.js';
import { BY_USER } from './ec2/instances/instances.js';
import {
  simulatedInstance,
  type Instance,
  type SimulatedInstance,
  type StatusCheck,
} from './ec2/instances/instance.js';
import type { AccessEntries } from './eks/access-entries.js';
import type { ShiftKind, ZonalShifts } from './eks/zonal-shifts.js';
import type { Ingress } from './ec2/network/network.js';
import type { EventRules } from './events/event-rules.js';
import { InstanceEvents } from './events/instance-events.js';
import { FaultPlan } from './faults/fault-plan.js';
import { isConnectionReset, meetFaults } from './faults/meet-faults.js';
import type { Endpoint } from './protocol/service.js';
import { RequestLog } from './request-log.js';
import { endpointsOf, routeOf, type Route } from './endpoints.js';
import { ServiceError } from './model/service-error.js';
import type { Queue } from './sqs/queue.js';

/** From the warning until a spot instance is taken. */
const WARNING_MILLIS = 120_000;
/** From the announcement until maintenance begins. */
const MAINTENANCE_MILLIS = 14 * 86_400_000;
const TAKEN_BACK = {
  code: 'Server.SpotInstanceTermination',
  message: 'Server.SpotInstanceTermination: Instance terminated, no capacity',
};
const STOPPED = { code: 'Server.ScheduledStop', message: 'Server.ScheduledStop: Stopped due to retirement' };

/**
 * Deterministic: the same options, clock, chance and calls give the same bytes. Time passes on the clock alone, and what
 * happens by itself (boots, ends, messages) hangs on its timers.
 */
export class AwsSimulator {
  /** What goes wrong, and when. */
  readonly faults: FaultPlan;
  readonly log = new RequestLog();
  /** Who may use the EKS cluster. */
  readonly accessEntries: AccessEntries;
  /** What gets into the interruption queue. */
  readonly eventRules: EventRules;
  /** Zones that the cluster is shifted away from. */
  readonly #zonalShifts: ZonalShifts;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #account: Account;
  readonly #queue: Queue;
  readonly #events: InstanceEvents;
  readonly #endpoints: Readonly<Record<Route['service'], Endpoint>>;
  readonly #warnings = new Set<() => void>();
  #certificateAuthority: string;

  constructor(options: AwsSimulatorOptions) {
    const chosen = withDefaults(options);
    this.#clock = chosen.clock;
    this.#random = chosen.random;
    this.faults = new FaultPlan(chosen.random);
    const built = buildAccount(chosen);
    const { account, queues, accessEntries, eventRules, zonalShifts } = built;
    this.#account = account;
    this.#queue = queues.create(chosen.queueName, new Map([['MessageRetentionPeriod', '300']]));
    this.accessEntries = accessEntries;
    this.eventRules = eventRules;
    this.#zonalShifts = zonalShifts;
    this.#certificateAuthority = chosen.certificateAuthority;
    const certificateAuthority = (): string => this.#certificateAuthority;
    this.#endpoints = endpointsOf({ options: chosen, ...built, certificateAuthority });
    const { clock, random, region } = chosen;
    this.#events = new InstanceEvents({
      ...{ clock, random, region, ids: account.ids },
      account: chosen.account,
      queue: this.#queue,
      rules: eventRules,
      delay: chosen.eventMillis,
    });
    account.instances.onState(({ id, state }) => {
      this.#events.stateChange(id, state.current);
    });
  }

  /** Every request to any of the services. */
  readonly handle: WireHandler = async (request, signal) => {
    const route = routeOf(request);
    if (route === undefined) return notServed(request);
    const action = `${route.service}:${route.action}`;
    const endpoint = this.#endpoints[route.service];
    const requestID = this.#account.ids.request();
    const logged = { at: this.#clock.now(), action, body: request.body };
    try {
      const answer = await this.#answer(endpoint, route.action, { request, requestID, signal });
      this.log.add({ ...logged, status: answer.status, error: undefined });
      return answer;
    } catch (error) {
      const refusal = refusalOf(error, signal);
      if (refusal === undefined) {
        this.log.add({ ...logged, status: undefined, error: 'NoAnswer' });
        throw error;
      }
      this.log.add({ ...logged, status: refusal.status, error: refusal.code });
      return endpoint.refuse(refusal, requestID);
    }
  };

  /** All instances that AWS still tells of, oldest first, as they are and not as they are seen. */
  instances(): readonly SimulatedInstance[] {
    return this.#account.instances.all().map(simulatedInstance);
  }

  /** Called at once with every state that an instance enters; answers what ends that. */
  onInstance(listener: (instance: SimulatedInstance) => void): () => void {
    return this.#account.instances.onState((instance) => {
      listener(simulatedInstance(instance));
    });
  }

  /** Called when an instance goes down for a reboot, and when it is up again; answers what ends that. */
  onReboot(listener: (instance: SimulatedInstance, isUp: boolean) => void): () => void {
    return this.#account.instances.onReboot((instance, isUp) => {
      listener(simulatedInstance(instance), isUp);
    });
  }

  /** The instance does not come up again once it is rebooted. @throws RangeError, when there is no such instance. */
  breakReboots(instanceID: string): void {
    this.#running(instanceID).bootsAgain = false;
  }

  /** Warns that the spot instance is taken back, and takes it after two minutes. @throws RangeError, when it is not one. */
  interrupt(instanceID: string): void {
    const instance = this.#running(instanceID);
    if (instance.pool.capacityType !== 'spot')
      throw new RangeError(`instance ${instanceID}: on-demand instances are not interrupted`);
    this.#events.spotInterruption(instanceID);
    const stop = this.#clock.timer(WARNING_MILLIS, () => {
      this.#warnings.delete(stop);
      this.#account.instances.terminate(instance, TAKEN_BACK);
    });
    this.#warnings.add(stop);
  }

  /** Says that the instance is more likely than others to be taken back. */
  rebalance(instanceID: string): void {
    this.#events.rebalance(this.#running(instanceID).id);
  }

  /**
   * Shifts the cluster away from the zone of this id; undefined: away from none any more.
   * @throws RangeError, when there is no such zone.
   */
  shiftAway(zoneID: string | undefined, kind: ShiftKind = 'zonal shift'): void {
    if (zoneID === undefined) this.#zonalShifts.end();
    else this.#zonalShifts.start(zoneID, kind, this.#clock.now());
  }

  /** Announces the retirement of the instance's host, in two weeks. */
  scheduleChange(instanceID: string): void {
    const instance = this.#running(instanceID);
    const notBefore = this.#clock.now() + MAINTENANCE_MILLIS;
    const description = 'The instance is running on degraded hardware';
    const id = this.#account.ids.resource('instance-event');
    instance.events.push({ id, code: 'instance-retirement', description, notBefore });
    this.#events.scheduledChange(instanceID, notBefore);
  }

  /** A status check of the instance, or of its host, fails from this moment on, in milliseconds since 1970. */
  failCheck(instanceID: string, check: StatusCheck, since = this.#clock.now()): void {
    this.#running(instanceID).impaired.set(check, since);
  }

  /** A user, or another program, terminates it. */
  terminate(instanceID: string): void {
    this.#account.instances.terminate(this.#running(instanceID), BY_USER);
  }

  /** A user, or the failure of its host, stops it. */
  stop(instanceID: string): void {
    this.#account.instances.stop(this.#running(instanceID), STOPPED);
  }

  /** These pools have so many instances from now on; what ends does not come back to them. */
  setStock(pattern: PoolPattern, instances: number): void {
    this.#account.stock.set(pattern, instances);
  }

  /** These pools cost so much on spot from now on, in USD/h. */
  setSpotPrice(pattern: PoolPattern, price: number): void {
    this.#account.market.set(pattern, price, this.#clock.now());
  }

  /** The subnet has so many free addresses now. @throws RangeError, when there is no such subnet. */
  setFreeAddresses(subnetID: string, addresses: number): void {
    const subnet = this.#account.network.subnet(subnetID);
    if (subnet === undefined) throw new RangeError(`subnet ${subnetID}: there is none`);
    subnet.setFree(addresses);
  }

  /** The security group lets in this, and nothing else. @throws RangeError, when there is no such group. */
  setIngress(groupID: string, ingress: readonly Ingress[]): void {
    this.#account.network.setIngress(groupID, ingress);
  }

  /** AWS publishes a release of a family; its SSM parameters follow. @throws RangeError, when there is it already. */
  publishImage(publication: Publication): readonly SimulatedImage[] {
    return this.#account.images.publish(publication);
  }

  /** The account builds an image of its own. @throws RangeError, when the name is taken. */
  publishOwnImage(image: OwnImage): SimulatedImage {
    return this.#account.images.publishOwn(image);
  }

  /** The account has this capacity reservation from now on. */
  addReservation(reservation: CapacityReservation): void {
    this.#account.reservations.add(reservation);
  }

  /** The account has this placement group from now on. */
  addPlacementGroup(group: PlacementGroup): void {
    this.#account.placementGroups.add(group);
  }

  /** EKS has another CA bundle for the cluster from now on: PEM in base64. */
  setCertificateAuthority(bundle: string): void {
    this.#certificateAuthority = bundle;
  }

  /** Refuses what matches, `ec2:CreateFleet` or `iam:*`, until the answer is called. */
  deny(action: string): () => void {
    return this.#account.access.deny(action);
  }

  /** Who may do what in the account: policies of the caller's role and of the organization. */
  get access(): Access {
    return this.#account.access;
  }

  /** Puts a text into the interruption queue as it is. */
  sendMessage(body: string): void {
    this.#queue.send(body);
  }

  /** Nothing happens any more by itself. */
  close(): void {
    this.#account.instances.close();
    this.#account.reservations.close();
    this.#events.close();
    for (const stop of this.#warnings) stop();
    this.#warnings.clear();
  }

  async #answer(
    endpoint: Endpoint,
    action: string,
    call: { readonly request: WireRequest; readonly requestID: string; readonly signal: AbortSignal },
  ): Promise<WireAnswer> {
    const { request, requestID, signal } = call;
    const faults = this.faults.due(`${endpoint.name}:${action}`);
    return meetFaults({
      faults,
      clock: this.#clock,
      random: this.#random,
      signal,
      act: () => endpoint.answer(action, request, { requestID, signal, faults }),
    });
  }

  /** @throws RangeError, when there is no such instance or it has ended. */
  #running(id: string): Instance {
    const instance = this.#account.instances.get(id);
    if (instance !== undefined && instance.state.current !== 'terminated') return instance;
    throw new RangeError(`instance ${id}: there is none`);
  }
}

/** The answer to an error; undefined where the client has gone, or the connection is to break. */
function refusalOf(error: unknown, signal: AbortSignal): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (signal.aborted || isConnectionReset(error)) return undefined;
  // A defect of the simulator, better seen as an answer than as silence.
  return new ServiceError('InternalError', `An internal error has occurred: ${String(error)}`, 500);
}

function notServed({ method, path }: WireRequest): WireAnswer {
  const body = JSON.stringify({ message: `${method} ${path}: no simulated service answers this` });
  return {
    status: 404,
    headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'UnknownOperationException' },
    body,
  };
}
