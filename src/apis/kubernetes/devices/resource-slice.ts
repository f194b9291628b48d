/** ResourceSlices (resource.k8s.io/v1), in which drivers publish the devices of nodes → domain. */
import {
  qualifiedName,
  type CapacityPolicy,
  type CounterUse,
  type DeviceAttribute,
  type DeviceCapacity,
  type DevicePool,
  type DeviceReach,
  type ResourceSlice,
  type SlicedDevice,
} from '../../../domain/devices/device.js';
import type { Quantity } from '../../../domain/values/quantity.js';
import { readAmounts } from '../object/amounts.js';
import {
  firstElements,
  flag,
  hasObject,
  member,
  members,
  optionalInteger,
  optionalText,
  requiredText,
  rootField,
  type Field,
} from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readObjectName } from '../object/metadata.js';
import { readNodeSelectorTerms } from '../object/node-selector.js';
import { readTaints } from '../object/taints.js';

/** What the API allows of each: devices of a slice, its counter sets, taints and counters of a device. */
const MOST_DEVICES = 128;
const MOST_COUNTER_SETS = 32;
const MOST_ENTRIES = 64;
/** Characters of an attribute's text. */
const LONGEST_TEXT = 64;
const MOST = 2 ** 53 - 1;

/** Decodes a ResourceSlice. */
export function decodeResourceSlice(object: unknown): Decoded<ResourceSlice> {
  const root = rootField(object);
  const name = readObjectName(root)?.name;
  if (name === undefined) return { value: undefined, findings: root.findings };
  const spec = member(root, 'spec');
  hasObject(spec);
  const driver = requiredText(member(spec, 'driver'));
  const pool = member(spec, 'pool');
  hasObject(pool);
  const value = {
    name,
    driver,
    pool: requiredText(member(pool, 'name')),
    generation: optionalInteger(member(pool, 'generation'), 0, MOST) ?? 0,
    slices: optionalInteger(member(pool, 'resourceSliceCount'), 0, MOST) ?? 1,
    reach: readReach(spec),
    devices: firstElements(member(spec, 'devices'), MOST_DEVICES).map((item) => readDevice(item, driver)),
    counters: readCounters(member(spec, 'sharedCounters')),
  };
  return { value, findings: root.findings };
}

function readReach(field: Field): DeviceReach | undefined {
  const nodeName = optionalText(member(field, 'nodeName')) ?? '';
  if (nodeName !== '') return { nodeName };
  if (flag(member(field, 'allNodes'))) return { everywhere: true };
  const terms = readNodeSelectorTerms(member(field, 'nodeSelector'));
  return terms === undefined ? undefined : { terms };
}

function readDevice(field: Field, driver: string): SlicedDevice {
  return {
    name: requiredText(member(field, 'name')),
    attributes: entriesOf(member(field, 'attributes'), readAttribute, (key) => qualifiedName(key, driver)),
    capacity: entriesOf(member(field, 'capacity'), readCapacity, (key) => qualifiedName(key, driver)),
    taints: readTaints(member(field, 'taints')).filter(({ effect }) => effect !== 'PreferNoSchedule'),
    shareable: flag(member(field, 'allowMultipleAllocations')),
    consumes: firstElements(member(field, 'consumesCounters'), MOST_COUNTER_SETS).map(readCounterUse),
    reach: readReach(field),
  };
}

function readAttribute(field: Field): DeviceAttribute | undefined {
  if (!hasObject(field)) return undefined;
  const text = optionalText(member(field, 'string'));
  if (text !== undefined) return textOf('string', text);
  const version = optionalText(member(field, 'version'));
  if (version !== undefined) return textOf('version', version);
  const truth = member(field, 'bool');
  if (truth.value !== undefined) return { type: 'bool', value: flag(truth) };
  const whole = optionalInteger(member(field, 'int'), -MOST, MOST);
  return whole === undefined ? undefined : { type: 'int', value: whole };
}

function textOf(type: 'string' | 'version', value: string): DeviceAttribute | undefined {
  return value.length > LONGEST_TEXT ? undefined : { type, value };
}

function readCapacity(field: Field): DeviceCapacity | undefined {
  if (!hasObject(field)) return undefined;
  const value = amount(field, 'value');
  return value === undefined ? undefined : { value, policy: readPolicy(member(field, 'requestPolicy')) };
}

function readPolicy(field: Field): CapacityPolicy | undefined {
  if (!hasObject(field)) return undefined;
  const values = firstElements(member(field, 'validValues'), MOST_ENTRIES).map(({ value }) => value);
  const range = member(field, 'validRange');
  const min = hasObject(range) ? amount(range, 'min') : undefined;
  return {
    default: amount(field, 'default'),
    validValues: values.length === 0 ? undefined : amountsOf(values),
    range: min === undefined ? undefined : { min, max: amount(range, 'max'), step: amount(range, 'step') },
  };
}

function amountsOf(values: readonly unknown[]): readonly Quantity[] {
  const named = Object.fromEntries(values.map((value, index) => [String(index), value]));
  return [...readAmounts(rootField(named), 'any').values()].sort((left, right) => (left < right ? -1 : 1));
}

/** The quantity that is a field of an object. */
function amount(field: Field, key: string): Quantity | undefined {
  const { value, ...item } = member(field, key);
  if (value === undefined) return undefined;
  return readAmounts({ ...item, value: { [key]: value } }, 'any').get(key);
}

function readCounterUse(field: Field): CounterUse {
  return { counterSet: requiredText(member(field, 'counterSet')), counters: readCounts(field) };
}

function readCounters(field: Field): DevicePool['counters'] {
  return new Map(
    firstElements(field, MOST_COUNTER_SETS).map((item) => [
      requiredText(member(item, 'name')),
      readCounts(item),
    ]),
  );
}

function readCounts(field: Field): ReadonlyMap<string, Quantity> {
  return entriesOf(member(field, 'counters'), (item) =>
    hasObject(item) ? amount(item, 'value') : undefined,
  );
}

/** The members that `read` knows, as many as are allowed. */
function entriesOf<T>(
  field: Field,
  read: (item: Field) => T | undefined,
  nameOf = (key: string): string => key,
): ReadonlyMap<string, T> {
  return new Map(
    members(field)
      .slice(0, MOST_ENTRIES)
      .flatMap((item) => {
        const value = read(item);
        return value === undefined ? [] : [[nameOf(String(item.key)), value] as const];
      }),
  );
}
