/** Instance profiles that Berth makes for roles: EC2 gives a node its role through one. */
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  GetInstanceProfileCommand,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import type { Clock } from '../../../../ports/clock.js';
import { hasCode } from '../../../../ports/port-error.js';
import type { AwsClients } from '../client/aws-clients.js';
import { stableHash } from './stable-hash.js';

export interface InstanceProfilesOptions {
  readonly clients: Pick<AwsClients, 'call' | 'region'>;
  readonly clock: Clock;
  readonly clusterName: string;
}

/** Another client may have removed the role from the profile. */
const KNOWN_MILLIS = 900_000;

export class InstanceProfiles {
  readonly #options: InstanceProfilesOptions;
  /** Role → when its profile was last seen to be right; monotonic. */
  readonly #known = new Map<string, number>();

  constructor(options: InstanceProfilesOptions) {
    this.#options = options;
  }

  /** The name of the profile that has the role and nothing else; made when it is missing. */
  async ensure(role: string, signal?: AbortSignal): Promise<string> {
    const { clients, clock, clusterName } = this.#options;
    // IAM knows no regions: a profile is shared by the node classes of one cluster only.
    const name = `berth-${stableHash([clusterName, clients.region, role]).slice(0, 32)}`;
    const now = clock.monotonic();
    if (now - (this.#known.get(role) ?? -Infinity) < KNOWN_MILLIS) return name;
    const roles = (await this.#roles(name, signal)) ?? (await this.#create(name, signal));
    for (const other of roles.filter((each) => each !== role)) await this.#remove(name, other, signal);
    if (!roles.includes(role)) await this.#add(name, role, signal);
    this.#known.set(role, now);
    return name;
  }

  /** Names of the roles in the profile; undefined when there is none of that name. */
  async #roles(name: string, signal?: AbortSignal): Promise<readonly string[] | undefined> {
    try {
      const { InstanceProfile: profile } = await this.#options.clients.call(
        'GetInstanceProfile',
        (client, options) =>
          client.send(new GetInstanceProfileCommand({ InstanceProfileName: name }), options),
        { signal, subject: name },
      );
      return (profile?.Roles ?? []).flatMap(({ RoleName }) => RoleName ?? []);
    } catch (error) {
      if (hasCode(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #create(name: string, signal?: AbortSignal): Promise<readonly string[]> {
    const { clients, clusterName } = this.#options;
    const Tags = [{ Key: `kubernetes.io/cluster/${clusterName}`, Value: 'owned' }];
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
