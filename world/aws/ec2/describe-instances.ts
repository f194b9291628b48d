/** DescribeInstances, DescribeInstanceStatus, RebootInstances and TerminateInstances. */
import type { QueryNode } from '../protocol/query.js';
import { xmlTime, type XmlStructure } from '../protocol/xml.js';
import { ServiceError } from '../model/service-error.js';
import { throttled } from '../faults/meet-faults.js';
import type { Account } from './account/account.js';
import { applyFilters, type FilterFields, type Filtering } from './query/filters.js';
import { STATE_CODES, type Instance, type StatusCheck } from './instances/instance.js';
import { reservationXml, stateXml } from './launch/instance-xml.js';
import { pageOf } from '../protocol/paging.js';

const LIMITS = { min: 5, max: 1000, usual: 1000 };
const MAX_NAMED = 1000;
/** From running until both status checks have passed. */
const CHECKS_MILLIS = 120_000;

/** Reservations of what is visible now; a page counts instances. */
export function describeInstances(account: Account, query: QueryNode): XmlStructure {
  const now = account.clock.now();
  const found = applyFilters(query, named(account, query), filtering(now));
  const { items, nextToken } = pageOf(query, found, LIMITS);
  const reservations = new Map<string, Instance[]>();
  for (const instance of items) {
    const others = reservations.get(instance.reservationID);
    if (others) others.push(instance);
    else reservations.set(instance.reservationID, [instance]);
  }
  const reservationSet = [...reservations.values()].map((list) => reservationXml(account, list, now));
  return { reservationSet, nextToken };
}

export function describeInstanceStatus(account: Account, query: QueryNode): XmlStructure {
  const now = account.clock.now();
  const isForAll = query.boolean('IncludeAllInstances');
  const running = named(account, query).filter(({ state }) => isForAll || state.seen(now) === 'running');
  const { items, nextToken } = pageOf(query, applyFilters(query, running, filtering(now)), LIMITS);
  return { instanceStatusSet: items.map((instance) => statusXml(account, instance, now)), nextToken };
}

/** One id that is not there, and none is rebooted. Instances that have ended are left alone (EC2 API reference). */
export function rebootInstances(account: Account, query: QueryNode): XmlStructure {
  for (const instance of account.instances.findAll(idsOf(query))) account.instances.reboot(instance);
  return { return: true };
}

/** One id that is not there, and none is terminated. */
export function terminateInstances(account: Account, query: QueryNode): XmlStructure {
  const ids = idsOf(query);
  const instances = account.instances.findAll(ids);
  if (!account.throttle.instances('terminate', ids.length)) throw throttled();
  return {
    instancesSet: instances.map((instance) => {
      const previous = instance.state.current;
      account.instances.terminate(instance);
      return {
        instanceId: instance.id,
        currentState: stateXml(instance.state.current),
        previousState: stateXml(previous),
      };
    }),
  };
}

function idsOf(query: QueryNode): readonly string[] {
  const ids = [...new Set(query.texts('InstanceId'))];
  if (ids.length === 0)
    throw new ServiceError('MissingParameter', 'The request must contain the parameter InstanceId');
  if (ids.length > MAX_NAMED)
    throw new ServiceError('InvalidParameterValue', 'A request may name at most 1000 instances');
  return ids;
}

function named({ instances }: Account, query: QueryNode): readonly Instance[] {
  const ids = query.texts('InstanceId');
  if (ids.length === 0) return instances.visible();
  if (query.text('MaxResults') !== undefined)
    throw new ServiceError(
      'InvalidParameterCombination',
      'The parameter instancesSet cannot be used with the parameter maxResults',
    );
  return instances.findAll(ids);
}

function filtering(now: number): Filtering<Instance> {
  const fields: FilterFields<Instance> = {
    'instance-id': ({ id }) => id,
    'instance-state-name': ({ state }) => state.seen(now),
    'instance-state-code': ({ state }) => String(STATE_CODES[state.seen(now) ?? 'pending']),
    'instance-type': ({ pool }) => pool.instanceType,
    'instance-lifecycle': ({ pool }) => (pool.capacityType === 'spot' ? 'spot' : undefined),
    'availability-zone': ({ pool }) => pool.zone,
    'iam-instance-profile.arn': ({ profile }) => profile?.arn,
    'image-id': ({ image }) => image.id,
    'placement-group-name': ({ placement }) => placement?.name,
    'subnet-id': ({ subnet }) => subnet.id,
    'client-token': ({ clientToken }) => clientToken,
    'private-dns-name': ({ privateDnsName }) => privateDnsName,
    'private-ip-address': ({ privateIP }) => privateIP,
    'reservation-id': ({ reservationID }) => reservationID,
    'event.code': ({ events }) => events.map(({ code }) => code),
    'system-status.status': (instance) => checkOf(instance, 'system', now).status,
    'instance-status.status': (instance) => checkOf(instance, 'instance', now).status,
  };
  return { fields, tags: ({ tags }) => tags.seen(now) ?? new Map() };
}

/** A status check of the instance, or of its host. */
function checkOf({ state, launchedAt, impaired }: Instance, check: StatusCheck, now: number) {
  if (state.seen(now) !== 'running') return { status: 'not-applicable', details: [] };
  const since = impaired.get(check);
  if (since !== undefined)
    return {
      status: 'impaired',
      details: [{ name: 'reachability', status: 'failed', impairedSince: xmlTime(since) }],
    };
  const isChecked = now >= launchedAt + CHECKS_MILLIS;
  return {
    status: isChecked ? 'ok' : 'initializing',
    details: [{ name: 'reachability', status: isChecked ? 'passed' : 'initializing' }],
  };
}

function statusXml({ network }: Account, instance: Instance, now: number): XmlStructure {
  const state = instance.state.seen(now) ?? 'pending';
  return {
    instanceId: instance.id,
    availabilityZone: instance.pool.zone,
    availabilityZoneId: network.zoneID(instance.pool.zone),
    instanceState: stateXml(state),
    systemStatus: checkOf(instance, 'system', now),
    instanceStatus: checkOf(instance, 'instance', now),
    eventsSet: instance.events.map(({ id, code, description, notBefore }) => ({
      instanceEventId: id,
      code,
      description,
      notBefore: xmlTime(notBefore),
    })),
  };
}
