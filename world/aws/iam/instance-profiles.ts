/** IAM roles and instance profiles, as far as launching instances needs them. */
import type { Labels } from '../../../src/domain/values/labels.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Ids } from '../model/ids.js';
import type { QueryNode } from '../protocol/query.js';
import { xmlTime, type XmlStructure } from '../protocol/xml.js';
import type { AccessAsk } from './access.js';
import { ServiceError } from '../model/service-error.js';
import { slice } from '../protocol/paging.js';

/** How an instance names its profile. */
export interface InstanceProfileReference {
  readonly arn: string;
  readonly id: string;
}

interface Role {
  readonly name: string;
  readonly id: string;
  readonly path: string;
  readonly createdAt: number;
}

interface Profile extends Role {
  readonly role: string | undefined;
  readonly tags: Labels;
}

/** Of a page. */
const USUAL_ITEMS = 100;
const MAX_ITEMS = 1000;

const ASSUME_ROLE =
  '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}';

export class InstanceProfiles {
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #account: string;
  readonly #roles = new Map<string, Role>();
  readonly #profiles = new Map<string, Profile>();

  constructor({
    clock,
    ids,
    account,
  }: {
    readonly clock: Clock;
    readonly ids: Ids;
    readonly account: string;
  }) {
    this.#clock = clock;
    this.#ids = ids;
    this.#account = account;
  }

  addRole(name: string, path = '/'): void {
    this.#roles.set(name, { name, path, id: this.#ids.resource('AROA'), createdAt: this.#clock.now() });
  }

  /** A profile with a role in it. */
  addProfile(name: string, role: string): void {
    const created = { id: this.#ids.resource('AIPA'), createdAt: this.#clock.now() };
    this.#keep({ name, path: '/', role, tags: new Map(), ...created });
  }

  /** The profile that a launch names, by name or ARN; undefined when there is none. */
  reference(nameOrArn: string): InstanceProfileReference | undefined {
    const profile =
      this.#profiles.get(nameOrArn) ??
      [...this.#profiles.values()].find((known) => this.#arn('instance-profile', known) === nameOrArn);
    return profile && { arn: this.#arn('instance-profile', profile), id: profile.id };
  }

  /** Of the role in the profile that a launch names, by name or ARN; undefined when there is none. */
  roleArn(nameOrArn: string): string | undefined {
    const name = nameOrArn.replace(/^.*\//, '');
    const role = this.#roles.get(this.#profiles.get(name)?.role ?? '');
    return role && this.#arn('role', role);
  }

  /** What IAM asks of itself about a request. */
  authorizations(action: string, query: QueryNode): readonly AccessAsk[] {
    const name = query.text('InstanceProfileName');
    if (action === 'ListInstanceProfiles')
      return [{ action: `iam:${action}`, resource: this.#arn('instance-profile', { name: '', path: '/' }) }];
    if (name === undefined) return [{ action: `iam:${action}` }];
    const profile = this.#profiles.get(name);
    const resource = this.#arn('instance-profile', { name, path: profile?.path ?? '/' });
    const tags = readTags(query);
    const context = [
      ...[...(profile?.tags ?? [])].map(([key, value]) => [`aws:ResourceTag/${key}`, [value]] as const),
      ...[...tags].map(([key, value]) => [`aws:RequestTag/${key}`, [value]] as const),
      ...(tags.size > 0 ? [['aws:TagKeys', [...tags.keys()]] as const] : []),
    ];
    const ask = { action: `iam:${action}`, resource, context };
    if (action === 'CreateInstanceProfile' && tags.size > 0)
      return [ask, { ...ask, action: 'iam:TagInstanceProfile' }];
    if (action !== 'AddRoleToInstanceProfile') return [ask];
    const role = this.#arn('role', { name: query.text('RoleName') ?? '', path: '/' });
    const passed = [['iam:PassedToService', ['ec2.amazonaws.com']]] as const;
    return [ask, { action: 'iam:PassRole', resource: role, context: passed }];
  }

  /** @throws ServiceError NoSuchEntity, EntityAlreadyExists, LimitExceeded, DeleteConflict, InvalidAction. */
  act(action: string, query: QueryNode): XmlStructure {
    switch (action) {
      case 'CreateInstanceProfile':
        return { InstanceProfile: this.#profileXml(this.#create(query)) };
      case 'GetInstanceProfile':
        return { InstanceProfile: this.#profileXml(this.#profile(query)) };
      case 'DeleteInstanceProfile':
        return this.#delete(query);
      case 'AddRoleToInstanceProfile':
        return this.#addRole(query);
      case 'RemoveRoleFromInstanceProfile':
        return this.#removeRole(query);
      case 'ListInstanceProfiles':
        return this.#list(query);
      case 'TagInstanceProfile':
        return this.#tag(query);
      case 'UntagInstanceProfile':
        return this.#untag(query);
      case 'GetRole':
        return { Role: this.#roleXml(this.#role(query.required('RoleName'))) };
      case 'CreateRole':
        return this.#createRole(query);
      default:
        throw new ServiceError('InvalidAction', `Could not find operation ${action} for version 2010-05-08`);
    }
  }

  #create(query: QueryNode): Profile {
    const name = query.required('InstanceProfileName');
    if (this.#profiles.has(name)) throw alreadyExists('Instance Profile', name);
    return this.#keep({
      name,
      path: query.text('Path') ?? '/',
      id: this.#ids.resource('AIPA'),
      createdAt: this.#clock.now(),
      role: undefined,
      tags: readTags(query),
    });
  }

  #delete(query: QueryNode): XmlStructure {
    const { name, role } = this.#profile(query);
    if (role !== undefined)
      throw new ServiceError('DeleteConflict', 'Cannot delete entity, must remove roles from it first.', 409);
    this.#profiles.delete(name);
    return {};
  }

  #addRole(query: QueryNode): XmlStructure {
    const profile = this.#profile(query);
    const role = this.#role(query.required('RoleName'));
    if (profile.role !== undefined)
      throw new ServiceError(
        'LimitExceeded',
        'Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1',
        409,
      );
    this.#keep({ ...profile, role: role.name });
    return {};
  }

  #removeRole(query: QueryNode): XmlStructure {
    const profile = this.#profile(query);
    const role = query.required('RoleName');
    if (profile.role !== role) throw noSuchEntity('Role', role);
    this.#keep({ ...profile, role: undefined });
    return {};
  }

  #list(query: QueryNode): XmlStructure {
    const prefix = query.text('PathPrefix') ?? '/';
    const found = [...this.#profiles.values()].filter(({ path }) => path.startsWith(prefix));
    const size = query.integer('MaxItems') ?? USUAL_ITEMS;
    if (size < 1 || size > MAX_ITEMS)
      throw new ServiceError(
        'ValidationError',
        `Value '${String(size)}' at 'maxItems' must be from 1 to 1000`,
      );
    const { items, nextToken } = slice(found, size, query.text('Marker'), 'ValidationError');
    return {
      // IAM leaves tags out of listings.
      InstanceProfiles: items.map((profile) => ({ ...this.#profileXml(profile), Tags: undefined })),
      IsTruncated: nextToken !== undefined,
      Marker: nextToken,
    };
  }

  #tag(query: QueryNode): XmlStructure {
    const profile = this.#profile(query);
    this.#keep({ ...profile, tags: new Map([...profile.tags, ...readTags(query)]) });
    return {};
  }

  #untag(query: QueryNode): XmlStructure {
    const profile = this.#profile(query);
    const keys = new Set(query.texts('TagKeys'));
    this.#keep({ ...profile, tags: new Map([...profile.tags].filter(([key]) => !keys.has(key))) });
    return {};
  }

  #createRole(query: QueryNode): XmlStructure {
    const name = query.required('RoleName');
    if (this.#roles.has(name)) throw alreadyExists('Role', name);
    this.addRole(name, query.text('Path'));
    return { Role: this.#roleXml(this.#role(name)) };
  }

  #keep(profile: Profile): Profile {
    this.#profiles.set(profile.name, profile);
    return profile;
  }

  #profile(query: QueryNode): Profile {
    const name = query.required('InstanceProfileName');
    const profile = this.#profiles.get(name);
    if (profile) return profile;
    throw noSuchEntity('Instance Profile', name);
  }

  #role(name: string): Role {
    const role = this.#roles.get(name);
    if (role) return role;
    throw noSuchEntity('Role', name);
  }

  #profileXml(profile: Profile): XmlStructure {
    const role = profile.role === undefined ? undefined : this.#roles.get(profile.role);
    return {
      Path: profile.path,
      InstanceProfileName: profile.name,
      InstanceProfileId: profile.id,
      Arn: this.#arn('instance-profile', profile),
      CreateDate: xmlTime(profile.createdAt),
      Roles: role === undefined ? [] : [this.#roleXml(role)],
      Tags: [...profile.tags].map(([Key, Value]) => ({ Key, Value })),
    };
  }

  #roleXml(role: Role): XmlStructure {
    return {
      Path: role.path,
      RoleName: role.name,
      RoleId: role.id,
      Arn: this.#arn('role', role),
      CreateDate: xmlTime(role.createdAt),
      AssumeRolePolicyDocument: encodeURIComponent(ASSUME_ROLE),
    };
  }

  #arn(kind: 'role' | 'instance-profile', { path, name }: Pick<Role, 'path' | 'name'>): string {
    return `arn:aws:iam::${this.#account}:${kind}${path}${name}`;
  }
}

function readTags(query: QueryNode): Labels {
  return new Map(query.list('Tags').map((tag) => [tag.required('Key'), tag.text('Value') ?? ''] as const));
}

function noSuchEntity(kind: string, name: string): ServiceError {
  return new ServiceError('NoSuchEntity', `${kind} ${name} cannot be found.`, 404);
}

function alreadyExists(kind: string, name: string): ServiceError {
  return new ServiceError('EntityAlreadyExists', `${kind} ${name} already exists.`, 409);
}
