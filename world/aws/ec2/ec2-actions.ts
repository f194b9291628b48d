/** EC2's actions by name. */
import type { Fault } from '../faults/fault-plan.js';
import type { QueryNode } from '../protocol/query.js';
import type { XmlStructure } from '../protocol/xml.js';
import type { Account } from './account/account.js';
import { createFleet } from './launch/create-fleet.js';
import { describeImages } from './images/describe-images.js';
import {
  describeInstances,
  describeInstanceStatus,
  rebootInstances,
  terminateInstances,
} from './describe-instances.js';
import { describeInstanceTypeOfferings, describeInstanceTypes } from './offerings/describe-instance-types.js';
import { describeSpotPrices } from './offerings/describe-spot-prices.js';
import { runInstances } from './launch/run-instances.js';
import { createTags, deleteTags, type TaggedLookup } from './query/tags.js';

export interface Ec2Call {
  readonly account: Account;
  readonly query: QueryNode;
  readonly faults: readonly Fault[];
  /** When the simulation began: what was before is not known. */
  readonly startedAt: number;
}

type Ec2Action = (call: Ec2Call) => XmlStructure;

const DAY_MILLIS = 86_400_000;

export const EC2_ACTIONS: Readonly<Record<string, Ec2Action>> = {
  DescribeInstanceTypes: ({ account, query }) => describeInstanceTypes(query, account.offerings),
  DescribeInstanceTypeOfferings: ({ account, query }) =>
    describeInstanceTypeOfferings(query, account.offerings, {
      region: account.region,
      zones: account.network.zones,
    }),
  DescribeAvailabilityZones: ({ account, query }) => account.network.describeZones(query),
  DescribeSubnets: ({ account, query }) => account.network.describeSubnets(query),
  DescribeSecurityGroups: ({ account, query }) => account.network.describeSecurityGroups(query),
  DescribeImages: ({ account, query }) => describeImages(query, account.images, account.id),
  DescribeSpotPriceHistory: ({ account, query, startedAt }) =>
    describeSpotPrices(query, {
      offerings: account.offerings,
      market: account.market,
      now: account.clock.now(),
      knownSince: startedAt - DAY_MILLIS,
    }),
  DescribeCapacityReservations: ({ account, query }) => account.reservations.describe(query),
  DescribePlacementGroups: ({ account, query }) => account.placementGroups.describe(query),
  CreateLaunchTemplate: ({ account, query }) => account.templates.create(query),
  CreateLaunchTemplateVersion: ({ account, query }) => account.templates.createVersion(query),
  ModifyLaunchTemplate: ({ account, query }) => account.templates.modify(query),
  DeleteLaunchTemplate: ({ account, query }) => account.templates.delete(query),
  DeleteLaunchTemplateVersions: ({ account, query }) => account.templates.deleteVersions(query),
  DescribeLaunchTemplates: ({ account, query }) => account.templates.describe(query),
  DescribeLaunchTemplateVersions: ({ account, query }) => account.templates.describeVersions(query),
  CreateFleet: ({ account, query, faults }) => createFleet(account, query, faults),
  RunInstances: ({ account, query, faults }) => runInstances(account, query, faults),
  DescribeInstances: ({ account, query }) => describeInstances(account, query),
  DescribeInstanceStatus: ({ account, query }) => describeInstanceStatus(account, query),
  RebootInstances: ({ account, query }) => rebootInstances(account, query),
  TerminateInstances: ({ account, query }) => terminateInstances(account, query),
  CreateTags: ({ account, query }) => createTags(query, lookups(account)),
  DeleteTags: ({ account, query }) => deleteTags(query, lookups(account)),
};

/** Actions whose client token makes a repetition harmless. */
export const IDEMPOTENT_ACTIONS: ReadonlySet<string> = new Set([
  'CreateFleet',
  'RunInstances',
  'CreateLaunchTemplate',
  'CreateLaunchTemplateVersion',
]);

/** The account's resources by id, as things with tags. */
export function lookups({ instances, templates, network, images }: Account): readonly TaggedLookup[] {
  return [instances, templates, network, images].map((kind) => (id) => kind.tagged(id));
}
