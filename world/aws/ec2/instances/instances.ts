/** The instances that there are, and how their states follow one another in time. */
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { Clock } from '../../../../src/ports/clock.js';
import type { Random } from '../../../../src/ports/random.js';
import type { Ids } from '../../model/ids.js';
import { Lagged } from '../../model/lagged.js';
import { ServiceError } from '../../model/service-error.js';
import { pickMillis, type MillisSpan } from '../../model/span.js';
import type { Instance, InstanceDescription, InstanceState, StateReason } from './instance.js';
import type { Tagged } from '../query/tags.js';

export interface InstanceTimes {
  /** From launch to running. */
  readonly pending: MillisSpan;
  /** From shutting-down to terminated, from stopping to stopped. */
  readonly shutdown: MillisSpan;
  /** From a write to the reads that see it. */
  readonly lag: MillisSpan;
}

export interface InstancesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly region: string;
  readonly times: InstanceTimes;
}

/** How long an instance is listed after its end; EC2 says about an hour. */
const REMEMBERED_MILLIS = 3_600_000;

export const BY_USER: StateReason = {
  code: 'Client.UserInitiatedShutdown',
  message: 'Client.UserInitiatedShutdown: User initiated shutdown',
};

export class Instances {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #ids: Ids;
  readonly #region: string;
  readonly #times: InstanceTimes;
  readonly #instances = new Map<string, Instance>();
  readonly #listeners = new Set<(instance: Instance) => void>();
  readonly #rebootListeners = new Set<(instance: Instance, isUp: boolean) => void>();
  readonly #timers = new Set<() => void>();

  constructor({ clock, random, ids, region, times }: InstancesOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#ids = ids;
    this.#region = region;
    this.#times = times;
  }

  /** Called at each state that an instance enters, pending too. Answers what ends that. */
  onState(listener: (instance: Instance) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Called when an instance goes down for a reboot, and when it is up again. Answers what ends that. */
  onReboot(listener: (instance: Instance, isUp: boolean) => void): () => void {
    this.#rebootListeners.add(listener);
    return () => {
      this.#rebootListeners.delete(listener);
    };
  }

  /** Those that are not forgotten, oldest first. */
  all(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  /** Those that still cost something: neither ended nor ending. */
  active(): readonly Instance[] {
    return this.all().filter(({ state }) => !['shutting-down', 'terminated'].includes(state.current));
  }

  get(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  /** What callers of EC2 can see now. */
  visible(): readonly Instance[] {
    const now = this.#clock.now();
    return this.all().filter(({ state }) => state.seen(now) !== undefined);
  }

  /** @throws ServiceError InvalidInstanceID.NotFound, also while it cannot be seen yet; .Malformed. */
  find(id: string): Instance {
    const [instance] = this.findAll([id]);
    if (instance === undefined) throw notFound([id]);
    return instance;
  }

  /** @throws ServiceError as `find`, naming all that are not there. */
  findAll(ids: readonly string[]): readonly Instance[] {
    const malformed = ids.find((id) => !/^i-(?:[0-9a-f]{8}|[0-9a-f]{17})$/.test(id));
    if (malformed !== undefined)
      throw new ServiceError('InvalidInstanceID.Malformed', `Invalid id: "${malformed}"`);
    const now = this.#clock.now();
    const missing = ids.filter((id) => this.#instances.get(id)?.state.seen(now) === undefined);
    if (missing.length > 0) throw notFound(missing);
    return ids.flatMap((id) => this.#instances.get(id) ?? []);
  }

  /** Starts one reservation of equal instances. */
  launch(description: InstanceDescription, tags: Labels, count: number): readonly Instance[] {
    const reservationID = this.#ids.resource('r');
    return Array.from({ length: count }, (_, index) => {
      const instance = this.#create(description, tags, { reservationID, index });
      this.#instances.set(instance.id, instance);
      this.#tell(instance);
      this.#after(pickMillis(this.#times.pending, this.#random), () => {
        if (instance.state.current === 'pending') this.#enter(instance, 'running');
      });
      return instance;
    });
  }

  /** Ends it, unless it has or is about to. */
  terminate(instance: Instance, reason: StateReason = BY_USER): void {
    if (['shutting-down', 'terminated'].includes(instance.state.current)) return;
    const now = this.#clock.now();
    instance.stateReason = reason;
    instance.transition = `${reason === BY_USER ? 'User initiated' : reason.code} (${moment(now)})`;
    this.#enter(instance, 'shutting-down');
    this.#after(pickMillis(this.#times.shutdown, this.#random), () => {
      instance.subnet.release(instance.privateIP);
      this.#enter(instance, 'terminated');
      this.#after(REMEMBERED_MILLIS, () => this.#instances.delete(instance.id));
    });
  }

  /** Boots it again, when it runs: its state is running all the while. It takes as long as a launch. */
  reboot(instance: Instance): void {
    if (instance.state.current !== 'running') return;
    const boot = ++instance.boots;
    for (const listener of this.#rebootListeners) listener(instance, false);
    this.#after(pickMillis(this.#times.pending, this.#random), () => {
      if (instance.state.current !== 'running' || instance.boots !== boot || !instance.bootsAgain) return;
      for (const listener of this.#rebootListeners) listener(instance, true);
    });
  }

  /** Stops it, when it runs. */
  stop(instance: Instance, reason: StateReason): void {
    if (instance.state.current !== 'running') return;
    instance.stateReason = reason;
    instance.transition = `${reason.code} (${moment(this.#clock.now())})`;
    this.#enter(instance, 'stopping');
    this.#after(pickMillis(this.#times.shutdown, this.#random), () => {
      if (instance.state.current === 'stopping') this.#enter(instance, 'stopped');
    });
  }

  /** The instance as something with tags. @throws ServiceError InvalidInstanceID.…. */
  tagged(id: string): Tagged | undefined {
    if (!id.startsWith('i-')) return undefined;
    const instance = this.find(id);
    return {
      tags: instance.tags.current,
      setTags: (tags) => {
        instance.tags.set(tags, this.#seenAt());
      },
    };
  }

  /** Nothing happens any more by itself. */
  close(): void {
    for (const stop of this.#timers) stop();
    this.#timers.clear();
  }

  #create(
    description: InstanceDescription,
    tags: Labels,
    place: { readonly reservationID: string; readonly index: number },
  ): Instance {
    const privateIP = description.subnet.take();
    const seenAt = this.#seenAt();
    return {
      ...description,
      ...place,
      id: this.#ids.resource('i'),
      launchedAt: this.#clock.now(),
      privateIP,
      privateDnsName: `ip-${privateIP.replaceAll('.', '-')}.${domainOf(this.#region)}`,
      state: new Lagged<InstanceState>('pending', seenAt),
      tags: new Lagged(tags, seenAt),
      stateReason: undefined,
      transition: '',
      boots: 0,
      bootsAgain: true,
      events: [],
      impaired: new Map(),
    };
  }

  #enter(instance: Instance, state: InstanceState): void {
    instance.state.set(state, this.#seenAt());
    this.#tell(instance);
  }

  #seenAt(): number {
    return this.#clock.now() + pickMillis(this.#times.lag, this.#random);
  }

  #tell(instance: Instance): void {
    for (const listener of this.#listeners) listener(instance);
  }

  #after(millis: number, act: () => void): void {
    const stop = this.#clock.timer(millis, () => {
      this.#timers.delete(stop);
      act();
    });
    this.#timers.add(stop);
  }
}

/** us-east-1 has a domain without its name (VPC user guide, DNS). */
function domainOf(region: string): string {
  return region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`;
}

function moment(millis: number): string {
  return new Date(millis).toISOString().replace('T', ' ').replace(/\..*/, ' GMT');
}

function notFound(ids: readonly string[]): ServiceError {
  const [text, verb] = ids.length === 1 ? ['ID', 'does'] : ['IDs', 'do'];
  return new ServiceError(
    'InvalidInstanceID.NotFound',
    `The instance ${text} '${ids.join(', ')}' ${verb} not exist`,
  );
}
