/** The text of a message, an EventBridge event by what it should be, as an interruption. Nothing that it holds makes it throw. */
import type { Interruption } from '../../../../ports/interruption-queue.js';

type Fields = Readonly<Record<string, unknown>>;

interface Event {
  readonly source: string;
  readonly detailType: string;
  readonly detail: Fields;
  /** Instances that it names anywhere, its detail first. */
  readonly instanceIDs: readonly string[];
}

const INSTANCE = /\bi-[0-9a-f]{8,17}\b/;

/** By source and detail-type (Amazon EC2 user guide, "EventBridge events"). */
const READERS: ReadonlyMap<string, (event: Event) => Interruption> = new Map([
  ['aws.ec2 EC2 Spot Instance Interruption Warning', about('SpotInterruption')],
  // The owner of the capacity wants it back, with as much warning.
  ['aws.ec2 EC2 Capacity Reservation Instance Interruption Warning', about('SpotInterruption')],
  ['aws.ec2 EC2 Instance Rebalance Recommendation', about('RebalanceRecommendation')],
  ['aws.ec2 EC2 Instance State-change Notification', stateChange],
  ['aws.health AWS Health Event', healthEvent],
]);

export function readEvent(body: string): Interruption {
  const event = parseEvent(body);
  if (typeof event === 'string') return malformed(event);
  return (READERS.get(`${event.source} ${event.detailType}`) ?? other)(event);
}

/** The event, or why it is none. */
function parseEvent(body: string): Event | string {
  let whole: unknown;
  try {
    whole = JSON.parse(body);
  } catch {
    return 'is not JSON';
  }
  if (!isFields(whole)) return 'is not a JSON object';
  const { source, detail, resources } = whole;
  const detailType = whole['detail-type'];
  if (typeof source !== 'string' || source === '') return 'has no source';
  if (typeof detailType !== 'string' || detailType === '') return 'has no detail-type';
  const fields = isFields(detail) ? detail : {};
  return { source, detailType, detail: fields, instanceIDs: instancesIn(fields, resources) };
}

/** The detail's own id counts, since what resources look like varies. */
function instancesIn(detail: Fields, resources: unknown): readonly string[] {
  const own = detail['instance-id'];
  const entities = listOf(detail['affectedEntities']).map((entity) =>
    isFields(entity) ? entity['entityValue'] : undefined,
  );
  const named = [own, ...entities].flatMap(instanceIn);
  const ids = named.length > 0 ? named : listOf(resources).flatMap(instanceIn);
  return [...new Set(ids)];
}

function instanceIn(value: unknown): readonly string[] {
  const found = typeof value === 'string' ? INSTANCE.exec(value)?.[0] : undefined;
  return found === undefined ? [] : [found];
}

function about(kind: 'SpotInterruption' | 'RebalanceRecommendation'): (event: Event) => Interruption {
  return ({ detailType, instanceIDs }) =>
    instanceIDs.length > 0 ? { kind, instanceIDs } : malformed(`is an ${detailType} without an instance`);
}

function stateChange({ detailType, detail, instanceIDs }: Event): Interruption {
  const { state } = detail;
  if (typeof state !== 'string') return malformed(`is an ${detailType} without a state`);
  if (instanceIDs.length === 0) return malformed(`is an ${detailType} without an instance`);
  return { kind: 'StateChange', instanceIDs, state };
}

/** Of AWS Health only changes that are scheduled for instances, and still to come. */
function healthEvent(event: Event): Interruption {
  const { detail, instanceIDs } = event;
  const { service, eventTypeCategory, statusCode } = detail;
  const isComing = service === 'EC2' && eventTypeCategory === 'scheduledChange' && statusCode !== 'closed';
  return isComing && instanceIDs.length > 0 ? { kind: 'ScheduledChange', instanceIDs } : other(event);
}

function other({ detailType, instanceIDs }: Event): Interruption {
  return { kind: 'Other', detailType: detailType.slice(0, 100), instanceIDs };
}

function malformed(problem: string): Interruption {
  return { kind: 'Malformed', problem, instanceIDs: [] };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
