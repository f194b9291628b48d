/** Instance profiles that Berth makes for roles: EC2 gives a node its role through one. */
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  ListInstanceProfilesCommand,
  RemoveRoleFromInstanceProfileCommand,
  type InstanceProfile,
} from '@aws-sdk/client-iam';
import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import type { Clock } from '../../../../ports/clock.js';
import { hasCode } from '../../../../ports/port-error.js';
import { Mutex } from '../../../../runtime/concurrency/mutex.js';
import { allPages } from '../client/all-pages.js';
import type { AwsClients } from '../client/aws-clients.js';
import { stableHash } from '../client/stable-hash.js';

export interface InstanceProfilesOptions {
  readonly clients: Pick<AwsClients, 'call' | 'region'>;
  readonly clock: Clock;
  readonly clusterName: string;
  /** Whether nothing is launched: then profiles are only named. */
  readonly onlyReads?: boolean | undefined;
}

/** Another client may have removed the role from the profile. */
const KNOWN_MILLIS = 900_000;
/** One that no node class has used for so long goes, as do launch templates: a launch under way is over long before. */
const UNUSED_MILLIS = 3_600_000;
/** IAM's largest page. */
const PAGE = 1000;
/** IAM knows no regions: another cluster of this name may be in another one. */
const REGION_TAG = 'berth.sh/region';
const NAME = /^berth-[0-9a-f]{32}$/;
const NEVER = new AbortController().signal;

export class InstanceProfiles {
  readonly #options: InstanceProfilesOptions;
  /** Name → when the profile was last seen to be right; monotonic. */
  readonly #known = new Map<string, number>();
  /** Profile → when a node class last needed it; monotonic. */
  readonly #usedAt = new Map<string, number>();
  /** Monotonic: what node classes needed before is unknown. */
  readonly #startedAt: number;
  /** Nothing is mended while it is deleted. */
  readonly #changing = new Mutex();

  constructor(options: InstanceProfilesOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
  }

  /** The name of the profile that has the role and nothing else; made when it is missing and nodes are launched. */
  async ensure(role: string, signal?: AbortSignal): Promise<string> {
    const name = this.keep(role);
    if (this.#options.onlyReads === true) return name;
    const isKnown = (): boolean =>
      this.#options.clock.monotonic() - (this.#known.get(name) ?? -Infinity) < KNOWN_MILLIS;
    if (!isKnown())
      await this.#changing.runExclusive(signal ?? NEVER, async () => {
        if (!isKnown()) await this.#mend(name, role, signal);
      });
    return name;
  }

  /** A node class needs the profile of this role, whether it can be launched from or not. Answers the name. */
  keep(role: string): string {
    return this.keepNamed(this.#nameOf(role));
  }

  /** A node class needs the profile of this name, which may be any. */
  keepNamed(name: string): string {
    this.#usedAt.set(name, this.#options.clock.monotonic());
    return name;
  }

  /**
   * Deletes profiles that Berth made for this cluster in this region, that no node class has needed for an hour, and that no
   * instance has. Whose a profile is, its tags say. @throws PortError
   */
  async collect(signal: AbortSignal): Promise<void> {
    if (this.#options.clock.monotonic() - this.#startedAt < UNUSED_MILLIS) return;
    for (const { InstanceProfileName: name = '', CreateDate: created } of await this.#list(signal)) {
      const isOld = created !== undefined && this.#options.clock.now() - created.getTime() >= UNUSED_MILLIS;
      if (!NAME.test(name) || !isOld || !this.#isIdle(name)) continue;
      await this.#changing.runExclusive(signal, () => this.#collectOne(name, signal));
    }
  }

  /** A profile is shared by the node classes of one cluster only. */
  #nameOf(role: string): string {
    const { clients, clusterName } = this.#options;
    return `berth-${stableHash([clusterName, clients.region, role]).slice(0, 32)}`;
  }

  #isIdle(name: string): boolean {
    return this.#options.clock.monotonic() - (this.#usedAt.get(name) ?? this.#startedAt) >= UNUSED_MILLIS;
  }

  async #collectOne(name: string, signal: AbortSignal): Promise<void> {
    const profile = await this.#find(name, signal);
    if (profile === undefined || !this.#isOurs(profile)) return;
    if (await this.#hasInstance(profile, signal)) return;
    // A node class may have come meanwhile.
    if (!this.#isIdle(name)) return;
    this.#known.delete(name);
    for (const { RoleName: role = '' } of profile.Roles ?? []) await this.#remove(name, role, signal);
    await this.#delete(name, signal);
    this.#usedAt.delete(name);
  }

  /** Those made by versions before the tag of the region have the role in them that their name was made from. */
  #isOurs({ InstanceProfileName: name, Roles: roles = [], Tags: tags = [] }: InstanceProfile): boolean {
    const { clients, clusterName } = this.#options;
    const tag = (key: string): string | undefined => tags.find(({ Key }) => Key === key)?.Value;
    if (tag(ownerTag(clusterName)) !== 'owned') return false;
    const region = tag(REGION_TAG);
    return region === undefined
      ? roles.some(({ RoleName = '' }) => this.#nameOf(RoleName) === name)
      : region === clients.region;
  }

  async #mend(name: string, role: string, signal?: AbortSignal): Promise<void> {
    const now = this.#options.clock.monotonic();
    const roles = (await this.#roles(name, signal)) ?? (await this.#create(name, signal));
    for (const other of roles.filter((each) => each !== role)) await this.#remove(name, other, signal);
    if (!roles.includes(role)) await this.#add(name, role, signal);
    this.#known.set(name, now);
  }

  async #list(signal: AbortSignal): Promise<readonly InstanceProfile[]> {
    const pages = await allPages({
      operation: 'iam:ListInstanceProfiles',
      fetch: (Marker) =>
        this.#options.clients.call(
          'ListInstanceProfiles',
          (client, options) =>
            client.send(new ListInstanceProfilesCommand({ MaxItems: PAGE, Marker }), options),
          { signal },
        ),
      next: (page) => page.Marker,
    });
    return pages.flatMap(({ InstanceProfiles: found = [] }) => found);
  }

  /** Whether an instance has it that has not ended, of any cluster. */
  async #hasInstance({ Arn: arn = '' }: InstanceProfile, signal: AbortSignal): Promise<boolean> {
    const Filters = [
      { Name: 'iam-instance-profile.arn', Values: [arn] },
      { Name: 'instance-state-name', Values: ['pending', 'running', 'shutting-down', 'stopping', 'stopped'] },
    ];
    const pages = await allPages({
      operation: 'ec2:DescribeInstances',
      fetch: (NextToken) =>
        this.#options.clients.call(
          'DescribeInstances',
          (client, options) => client.send(new DescribeInstancesCommand({ Filters, NextToken }), options),
          { signal },
        ),
      next: (page) => page.NextToken,
    });
    return pages.some(({ Reservations: found = [] }) => found.length > 0);
  }

  async #delete(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.clients.call(
        'DeleteInstanceProfile',
        (client, options) =>
          client.send(new DeleteInstanceProfileCommand({ InstanceProfileName: name }), options),
        { signal, subject: name },
      );
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
    }
  }

  /** Names of the roles in the profile; undefined when there is none of that name. */
  async #roles(name: string, signal?: AbortSignal): Promise<readonly string[] | undefined> {
    const profile = await this.#find(name, signal);
    return profile && (profile.Roles ?? []).flatMap(({ RoleName }) => RoleName ?? []);
  }

  async #find(name: string, signal?: AbortSignal): Promise<InstanceProfile | undefined> {
    try {
      const { InstanceProfile: profile } = await this.#options.clients.call(
        'GetInstanceProfile',
        (client, options) =>
          client.send(new GetInstanceProfileCommand({ InstanceProfileName: name }), options),
        { signal, subject: name },
      );
      return profile;
    } catch (error) {
      if (hasCode(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #create(name: string, signal?: AbortSignal): Promise<readonly string[]> {
    const { clients, clusterName } = this.#options;
    const Tags = [
      { Key: ownerTag(clusterName), Value: 'owned' },
      { Key: REGION_TAG, Value: clients.region },
    ];
    try {
      await clients.call(
        'CreateInstanceProfile',
        (client, options) =>
          client.send(new CreateInstanceProfileCommand({ InstanceProfileName: name, Tags }), options),
        { signal, subject: name },
      );
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error;
      return (await this.#roles(name, signal)) ?? [];
    }
    return [];
  }

  async #remove(name: string, role: string, signal?: AbortSignal): Promise<void> {
    try {
      await this.#options.clients.call(
        'RemoveRoleFromInstanceProfile',
        (client, options) =>
          client.send(
            new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName: name, RoleName: role }),
            options,
          ),
        { signal, subject: name },
      );
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
    }
  }

  async #add(name: string, role: string, signal?: AbortSignal): Promise<void> {
    try {
      await this.#options.clients.call(
        'AddRoleToInstanceProfile',
        (client, options) =>
          client.send(
            new AddRoleToInstanceProfileCommand({ InstanceProfileName: name, RoleName: role }),
            options,
          ),
        { signal, subject: `${role} in ${name}` },
      );
    } catch (error) {
      // A profile holds one role: another client has added one meanwhile.
      const isTaken = hasCode(error, 'QuotaExceeded', 'AlreadyExists');
      if (isTaken && (await this.#roles(name, signal))?.includes(role) === true) return;
      throw error;
    }
  }
}

function ownerTag(clusterName: string): string {
  return `kubernetes.io/cluster/${clusterName}`;
}
