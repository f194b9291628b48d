/** What a launch template or a RunInstances request says of the instances, read once. */
import { TENANCIES, type Tenancy } from '../../../../src/domain/nodes/tenancy.js';
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { QueryNode } from '../../protocol/query.js';
import { invalidValue } from '../../model/service-error.js';
import type { LaunchMarket } from '../instances/capacity-reservations.js';
import type { PlacementAim } from '../instances/placement-groups.js';
import { decodeUserData } from '../templates/check-launch-template.js';
import type { InterfaceDescription, VolumeDescription } from '../instances/instance.js';
import { tagsFor } from '../query/tags.js';

export interface LaunchSettings {
  readonly imageID: string | undefined;
  readonly instanceType: string | undefined;
  readonly subnetID: string | undefined;
  readonly zone: string | undefined;
  readonly securityGroupIDs: readonly string[];
  /** Name or ARN. */
  readonly profile: string | undefined;
  /** Decoded; undefined when there is none. */
  readonly userData: string | undefined;
  readonly isSpot: boolean;
  /** As the market options say. */
  readonly market: LaunchMarket;
  /** The capacity reservation that is aimed at. */
  readonly reservationID: string | undefined;
  /** The placement group that is aimed at. */
  readonly placement: PlacementAim | undefined;
  /** undefined: as usual, `default`. */
  readonly tenancy: Tenancy | undefined;
  /** USD/h; undefined: up to the on-demand price. */
  readonly maxPrice: number | undefined;
  /** Of the instances. */
  readonly tags: Labels;
  /** Kind of what the launch creates (`instance`, `volume`, …) → its tags. */
  readonly resourceTags: ReadonlyMap<string, Labels>;
  /** Empty when nothing was said. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly volumes: readonly VolumeDescription[];
  readonly detailedMonitoring: boolean;
  /** Whether Nitro Enclaves are to run on the instances. */
  readonly enclaves: boolean;
  /** Empty: the primary one alone. */
  readonly interfaces: readonly InterfaceDescription[];
}

/** @throws ServiceError, when a value is not what its name says. */
export function readSettings(node: QueryNode): LaunchSettings {
  return {
    imageID: node.text('ImageId'),
    instanceType: node.text('InstanceType'),
    ...readPlace(node),
    profile: node.text('IamInstanceProfile.Name') ?? node.text('IamInstanceProfile.Arn'),
    userData: node.text('UserData') === undefined ? undefined : decodeUserData(node.required('UserData')),
    isSpot: node.text('InstanceMarketOptions.MarketType') === 'spot',
    market: readMarket(node.text('InstanceMarketOptions.MarketType')),
    reservationID: node.text(
      'CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId',
    ),
    placement: readPlacement(node.node('Placement')),
    tenancy: readTenancy(node.text('Placement.Tenancy')),
    maxPrice: node.number('InstanceMarketOptions.SpotOptions.MaxPrice'),
    tags: tagsFor(node, 'instance'),
    resourceTags: resourceTagsOf(node),
    metadata: readMetadata(node.node('MetadataOptions')),
    volumes: node.list('BlockDeviceMapping').map(volume),
    detailedMonitoring: node.boolean('Monitoring.Enabled'),
    enclaves: node.boolean('EnclaveOptions.Enabled'),
    interfaces: node.list('NetworkInterface').map(networkInterface),
  };
}

const MARKETS: readonly LaunchMarket[] = [
  'on-demand',
  'spot',
  'capacity-block',
  'interruptible-capacity-reservation',
];

function readMarket(text: string | undefined): LaunchMarket {
  const market = MARKETS.find((known) => known === (text ?? 'on-demand'));
  if (market !== undefined) return market;
  throw invalidValue('MarketType', text ?? '', `Allowed: ${MARKETS.join(', ')}.`);
}

function readTenancy(text: string | undefined): Tenancy | undefined {
  const tenancy = TENANCIES.find((known) => known === text);
  if (tenancy !== undefined || text === undefined) return tenancy;
  throw invalidValue('Tenancy', text, `Simulated: ${TENANCIES.join(', ')}.`);
}

const TAGGED_KINDS = ['instance', 'volume', 'network-interface', 'spot-instances-request'];

/** Tags by the kind of resource that the launch creates. */
export function resourceTagsOf(node: QueryNode): LaunchSettings['resourceTags'] {
  return new Map(TAGGED_KINDS.map((kind) => [kind, tagsFor(node, kind)]));
}

/** Both; of two values for one key that of `own`. */
export function withResourceTags(
  { resourceTags }: Pick<LaunchSettings, 'resourceTags'>,
  own: LaunchSettings['resourceTags'],
): LaunchSettings['resourceTags'] {
  return new Map(
    [...resourceTags].map(([kind, tags]) => [kind, new Map([...tags, ...(own.get(kind) ?? [])])]),
  );
}

function readPlace(node: QueryNode): Pick<LaunchSettings, 'subnetID' | 'zone' | 'securityGroupIDs'> {
  const card = node.list('NetworkInterface')[0];
  const groups = node.texts('SecurityGroupId');
  return {
    subnetID: node.text('SubnetId') ?? card?.text('SubnetId'),
    zone: node.text('Placement.AvailabilityZone'),
    securityGroupIDs: groups.length > 0 ? groups : (card?.texts('SecurityGroupId') ?? []),
  };
}

function readPlacement(node: QueryNode): PlacementAim | undefined {
  const [groupID, groupName] = [node.text('GroupId'), node.text('GroupName')];
  if (groupID === undefined && groupName === undefined) return undefined;
  return { groupID, groupName, partition: node.integer('PartitionNumber') };
}

function readMetadata(node: QueryNode): LaunchSettings['metadata'] {
  return Object.fromEntries(
    [...node.entries].flatMap(([name, { value }]) =>
      value === undefined ? [] : [[name.slice(0, 1).toLowerCase() + name.slice(1), value]],
    ),
  );
}

/** The request's own word before the template's; lists and texts that say nothing do not count. */
export function overlay(own: LaunchSettings, template: LaunchSettings): LaunchSettings {
  const said = Object.entries(own).filter(([key, value]) => !isSilent(value) && key !== 'market');
  return {
    ...template,
    ...Object.fromEntries(said),
    tags: new Map([...template.tags, ...own.tags]),
    resourceTags: withResourceTags(template, own.resourceTags),
    market: own.market === 'on-demand' ? template.market : own.market,
  };
}

function isSilent(value: unknown): boolean {
  if (value === undefined || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function volume(node: QueryNode): VolumeDescription {
  return {
    deviceName: node.text('DeviceName') ?? '',
    deleteOnTermination: node.text('Ebs.DeleteOnTermination') !== 'false',
    encrypted: node.boolean('Ebs.Encrypted'),
  };
}

const INTERFACE_TYPES = ['interface', 'efa', 'efa-only'] as const;

function networkInterface(node: QueryNode): InterfaceDescription {
  const text = node.text('InterfaceType') ?? 'interface';
  const type = INTERFACE_TYPES.find((known) => known === text);
  if (type === undefined)
    throw invalidValue('InterfaceType', text, `Allowed: ${INTERFACE_TYPES.join(', ')}.`);
  return {
    card: node.integer('NetworkCardIndex') ?? 0,
    device: node.integer('DeviceIndex') ?? 0,
    type,
    ipv6: (node.integer('Ipv6AddressCount') ?? 0) > 0,
    primaryIPv6: node.boolean('PrimaryIpv6'),
  };
}
