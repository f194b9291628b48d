/** CreateFleet of type instant: as many instances as there are, and an error for every offering that was short. */
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { Fault } from '../../faults/fault-plan.js';
import { throttled } from '../../faults/meet-faults.js';
import type { QueryNode } from '../../protocol/query.js';
import type { XmlStructure } from '../../protocol/xml.js';
import { ServiceError } from '../../model/service-error.js';
import type { Account } from '../account/account.js';
import { allocate, type Allocation } from './allocate.js';
import {
  candidatesFor,
  readOverrides,
  type FleetOverride,
  type OverrideCandidate,
} from './fleet-candidates.js';
import { readFleetParts, type FleetPart } from './fleet-request.js';
import { Room, type Refusal } from './room.js';
import { tagsFor } from '../query/tags.js';

interface Fleet {
  readonly id: string;
  readonly tags: Labels;
  readonly clientToken: string | undefined;
}

interface PartAnswer {
  readonly errors: readonly XmlStructure[];
  readonly instances: readonly XmlStructure[];
}

/**
 * 200 even when nothing is available. `faults` are those of kind `offering`.
 * @throws ServiceError on what is wrong with the request as a whole.
 */
export function createFleet(account: Account, query: QueryNode, faults: readonly Fault[]): XmlStructure {
  const parts = readFleetParts(query);
  const overrides = readOverrides(account, query);
  checkBlocks(overrides);
  const fleet = {
    id: `fleet-${account.ids.uuid()}`,
    tags: tagsFor(query, 'instance'),
    clientToken: query.text('ClientToken'),
  };
  const room = new Room(account);
  const answers = parts.map((part) => launchPart({ account, overrides, faults, room, fleet }, part));
  return {
    fleetId: fleet.id,
    errorSet: answers.flatMap(({ errors }) => errors),
    fleetInstanceSet: answers.flatMap(({ instances }) => instances),
  };
}

/** A fleet launches into one capacity block at a time (EC2 user guide, EC2 Fleet tutorial for capacity blocks). */
function checkBlocks(overrides: readonly FleetOverride[]): void {
  const blocks = overrides.filter(({ settings }) => settings.market === 'capacity-block');
  if (new Set(blocks.map(({ settings }) => settings.reservationID)).size > 1)
    throw new ServiceError(
      'InvalidFleetConfiguration',
      'Multiple Capacity Blocks in the same EC2 Fleet request are not supported',
    );
}

interface PartContext {
  readonly account: Account;
  readonly overrides: readonly FleetOverride[];
  readonly faults: readonly Fault[];
  readonly room: Room;
  readonly fleet: Fleet;
}

function launchPart({ account, overrides, faults, room, fleet }: PartContext, part: FleetPart): PartAnswer {
  const { wanted, strategy, least } = part;
  const { possible, impossible } = candidatesFor(account, overrides, part, faults);
  const { chosen, refused } = allocate({ candidates: possible, wanted, strategy, room });
  const count = chosen.reduce((sum, choice) => sum + choice.count, 0);
  if (count > 0 && !account.throttle.instances('launch', count)) {
    const { code, message } = throttled();
    return refuseAll(overrides, part, { code, message });
  }
  return {
    errors: [
      ...impossible.map(({ override, refusal }) => errorXml(override, part, refusal)),
      ...refused.map(({ candidate, refusal }) => errorXml(candidate.override, part, refusal)),
    ],
    instances: count < least ? [] : chosen.map((choice) => launch(account, choice, fleet)),
  };
}

function launch(
  { stock, instances }: Account,
  { candidate, count }: Allocation<OverrideCandidate>['chosen'][number],
  fleet: Fleet,
): XmlStructure {
  const { pool, description, override, reservation } = candidate;
  for (let taken = 0; taken < count && reservation === undefined; taken++) stock.take(pool);
  const tags = new Map([
    ...override.settings.tags,
    ...fleet.tags,
    ...override.templateTags,
    ['aws:ec2:fleet-id', fleet.id],
  ]);
  const launched = instances.launch({ ...description, clientToken: fleet.clientToken }, tags, count);
  return {
    launchTemplateAndOverrides: override.echo,
    lifecycle: override.settings.market === 'on-demand' ? pool.capacityType : override.settings.market,
    instanceIds: launched.map(({ id }) => id),
    instanceType: pool.instanceType,
    platform: description.image.isWindows ? 'windows' : undefined,
  };
}

function refuseAll(overrides: readonly FleetOverride[], part: FleetPart, refusal: Refusal): PartAnswer {
  return { errors: overrides.map((override) => errorXml(override, part, refusal)), instances: [] };
}

function errorXml({ echo }: FleetOverride, { capacityType }: FleetPart, refusal: Refusal): XmlStructure {
  return {
    launchTemplateAndOverrides: echo,
    lifecycle: capacityType,
    errorCode: refusal.code,
    errorMessage: refusal.message,
  };
}
