/** The account's network: zones, subnets and security groups. */
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { QueryNode } from '../../protocol/query.js';
import type { XmlStructure } from '../../protocol/xml.js';
import { ServiceError } from '../../model/service-error.js';
import { applyFilters, type FilterFields } from '../query/filters.js';
import { pageOf } from '../../protocol/paging.js';
import type { Subnet } from './subnet.js';
import { tagSet, type Tagged } from '../query/tags.js';
import type { Zone } from './zone.js';

export interface SecurityGroup {
  readonly id: string;
  readonly name: string;
  readonly tags: Labels;
  readonly ingress: readonly Ingress[];
}

/** What a security group lets in. */
export interface Ingress {
  /** `tcp`; `-1`: all, on all ports. */
  readonly protocol: string;
  readonly port?: number | undefined;
  /** Another security group, or addresses: `10.0.0.0/16`. */
  readonly from: string;
}

export interface NetworkSeed {
  readonly region: string;
  readonly account: string;
  readonly vpcID: string;
  readonly zones: readonly Zone[];
  readonly subnets: readonly Subnet[];
  readonly securityGroups: readonly SecurityGroup[];
}

const LIMITS = { min: 5, max: 1000, usual: 1000 };

export class Network {
  readonly vpcID: string;
  readonly zones: readonly Zone[];
  readonly subnets: readonly Subnet[];
  readonly #region: string;
  readonly #account: string;
  readonly #groups: Map<string, SecurityGroup>;

  constructor({ region, account, vpcID, zones, subnets, securityGroups }: NetworkSeed) {
    this.#region = region;
    this.#account = account;
    this.vpcID = vpcID;
    this.zones = zones;
    this.subnets = subnets;
    this.#groups = new Map(securityGroups.map((group) => [group.id, group]));
  }

  subnet(id: string): Subnet | undefined {
    return this.subnets.find((subnet) => subnet.id === id);
  }

  securityGroup(id: string): SecurityGroup | undefined {
    return this.#groups.get(id);
  }

  /** The group lets in this, and nothing else. @throws RangeError, when there is none. */
  setIngress(id: string, ingress: readonly Ingress[]): void {
    const group = this.#groups.get(id);
    if (group === undefined) throw new RangeError(`security group ${id}: there is none`);
    this.#groups.set(id, { ...group, ingress });
  }

  /** The group that instances get by default. */
  get defaultGroupID(): string {
    return [...this.#groups.values()].find(({ name }) => name === 'default')?.id ?? '';
  }

  zoneID(name: string): string | undefined {
    return this.zones.find((zone) => zone.name === name)?.id;
  }

  /** The subnet or security group as something with tags. @throws ServiceError …NotFound. */
  tagged(id: string): Tagged | undefined {
    if (id.startsWith('subnet-')) return this.subnet(id) ?? notFound('InvalidSubnetID', 'subnet', id);
    if (!id.startsWith('sg-')) return undefined;
    const group = this.#groups.get(id) ?? notFound('InvalidGroup', 'security group', id);
    return { tags: group.tags, setTags: (tags) => this.#groups.set(id, { ...group, tags }) };
  }

  describeZones(query: QueryNode): XmlStructure {
    const names = query.texts('ZoneName');
    const ids = query.texts('ZoneId');
    const unknown = names.find((name) => !this.zones.some((zone) => zone.name === name));
    if (unknown !== undefined)
      throw new ServiceError('InvalidParameterValue', `Invalid availability zone: [${unknown}]`);
    const zones = this.zones.filter(
      ({ name, id }) =>
        (names.length === 0 || names.includes(name)) && (ids.length === 0 || ids.includes(id)),
    );
    const fields: FilterFields<Zone> = {
      'zone-name': ({ name }) => name,
      'zone-id': ({ id }) => id,
      'zone-type': () => 'availability-zone',
      'region-name': () => this.#region,
      state: () => 'available',
      'opt-in-status': () => 'opt-in-not-required',
      'group-name': () => `${this.#region}-zg-1`,
    };
    return {
      availabilityZoneInfo: applyFilters(query, zones, { fields }).map(({ name, id }) => ({
        optInStatus: 'opt-in-not-required',
        messageSet: [],
        regionName: this.#region,
        zoneName: name,
        zoneId: id,
        groupName: `${this.#region}-zg-1`,
        networkBorderGroup: this.#region,
        zoneType: 'availability-zone',
        zoneState: 'available',
      })),
    };
  }

  describeSubnets(query: QueryNode): XmlStructure {
    const ids = query.texts('SubnetId');
    const named =
      ids.length === 0
        ? this.subnets
        : ids.map((id) => this.subnet(id) ?? notFound('InvalidSubnetID', 'subnet', id));
    const fields: FilterFields<Subnet> = {
      'subnet-id': ({ id }) => id,
      'availability-zone': ({ zone }) => zone,
      'availability-zone-id': ({ zone }) => this.zoneID(zone),
      'cidr-block': ({ cidr }) => cidr,
      'owner-id': () => this.#account,
      state: () => 'available',
      'vpc-id': () => this.vpcID,
    };
    const found = applyFilters(query, named, { fields, tags: ({ tags }) => tags });
    const { items, nextToken } = pageOf(query, found, LIMITS);
    return { subnetSet: items.map((subnet) => this.#subnetXml(subnet)), nextToken };
  }

  describeSecurityGroups(query: QueryNode): XmlStructure {
    const ids = query.texts('GroupId');
    const names = query.texts('GroupName');
    const groups =
      ids.length === 0
        ? [...this.#groups.values()]
        : ids.map((id) => this.#groups.get(id) ?? notFound('InvalidGroup', 'security group', id));
    const named = groups.filter(({ name }) => names.length === 0 || names.includes(name));
    const fields: FilterFields<SecurityGroup> = {
      'group-id': ({ id }) => id,
      'group-name': ({ name }) => name,
      'owner-id': () => this.#account,
      'vpc-id': () => this.vpcID,
    };
    const found = applyFilters(query, named, { fields, tags: ({ tags }) => tags });
    const { items, nextToken } = pageOf(query, found, LIMITS);
    return { securityGroupInfo: items.map((group) => this.#groupXml(group)), nextToken };
  }

  #subnetXml(subnet: Subnet): XmlStructure {
    return {
      subnetId: subnet.id,
      subnetArn: `arn:aws:ec2:${this.#region}:${this.#account}:subnet/${subnet.id}`,
      state: 'available',
      ownerId: this.#account,
      vpcId: this.vpcID,
      cidrBlock: subnet.cidr,
      ipv6CidrBlockAssociationSet:
        subnet.ipv6Cidr === undefined
          ? []
          : [
              {
                associationId: `${subnet.id}-ipv6`,
                ipv6CidrBlock: subnet.ipv6Cidr,
                ipv6CidrBlockState: { state: 'associated' },
              },
            ],
      availableIpAddressCount: subnet.free,
      availabilityZone: subnet.zone,
      availabilityZoneId: this.zoneID(subnet.zone),
      defaultForAz: false,
      mapPublicIpOnLaunch: false,
      assignIpv6AddressOnCreation: false,
      tagSet: tagSet(subnet.tags),
    };
  }

  #groupXml({ id, name, tags, ingress }: SecurityGroup): XmlStructure {
    return {
      ownerId: this.#account,
      groupName: name,
      groupDescription: name,
      groupId: id,
      vpcId: this.vpcID,
      ipPermissions: ingress.map((rule) => this.#ingressXml(rule)),
      ipPermissionsEgress: [{ ipProtocol: '-1', groups: [], ipRanges: [{ cidrIp: '0.0.0.0/0' }] }],
      tagSet: tagSet(tags),
    };
  }

  #ingressXml({ protocol, port, from }: Ingress): XmlStructure {
    const isGroup = from.startsWith('sg-');
    return {
      ipProtocol: protocol,
      ...(port !== undefined && { fromPort: port, toPort: port }),
      groups: isGroup ? [{ groupId: from, userId: this.#account }] : [],
      ipRanges: isGroup ? [] : [{ cidrIp: from }],
    };
  }
}

function notFound(code: string, kind: string, id: string): never {
  throw new ServiceError(`${code}.NotFound`, `The ${kind} ID '${id}' does not exist`);
}
