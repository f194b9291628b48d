/** Devices and claims for tests: `gpus(2)` are two devices of the driver gpu.example.com, `claimSpec([request('gpu')])` asks for one. */
import type {
  DeviceAlternative,
  DeviceClass,
  DeviceClaimSpec,
  DeviceConstraint,
  DeviceObjects,
  DeviceRequest,
  ResourceClaim,
} from '../../../src/domain/devices/claim.js';
import {
  unusedDevices,
  type Device,
  type DeviceAttribute,
  type DevicePool,
  type NodeDevices,
} from '../../../src/domain/devices/device.js';

export const DRIVER = 'gpu.example.com';
/** The class of all devices of the driver. */
export const CLASS: DeviceClass = { name: 'gpu', selectors: [`device.driver == "${DRIVER}"`] };

type Plain = string | number | boolean;

export interface DeviceOverrides extends Partial<Omit<Device, 'attributes'>> {
  /** In the driver's domain where a name has none. */
  readonly attributes?: Readonly<Record<string, Plain>>;
}

function attribute(value: Plain): DeviceAttribute {
  if (typeof value === 'boolean') return { type: 'bool', value };
  return typeof value === 'number' ? { type: 'int', value } : { type: 'string', value };
}

export function device({ attributes = {}, ...overrides }: DeviceOverrides = {}): Device {
  return {
    name: 'gpu-0',
    capacity: new Map(),
    taints: [],
    shareable: false,
    consumes: [],
    ...overrides,
    attributes: new Map(
      Object.entries(attributes).map(([name, value]) => [
        name.includes('/') ? name : `${DRIVER}/${name}`,
        attribute(value),
      ]),
    ),
  };
}

export function devicePool(devices: readonly Device[], overrides: Partial<DevicePool> = {}): DevicePool {
  return { driver: DRIVER, name: 'pool', devices, counters: new Map(), shared: false, ...overrides };
}

/** So many devices gpu-0, gpu-1, … with these attributes. */
export function gpus(count: number, attributes: DeviceOverrides['attributes'] = {}): NodeDevices {
  const devices = Array.from({ length: count }, (_, index) =>
    device({ name: `gpu-${String(index)}`, attributes }),
  );
  return unusedDevices([devicePool(devices)]);
}

export function alternative(overrides: Partial<DeviceAlternative> = {}): DeviceAlternative {
  return {
    name: '',
    deviceClass: CLASS.name,
    selectors: [],
    mode: 'ExactCount',
    count: 1,
    adminAccess: false,
    tolerations: [],
    capacity: new Map(),
    ...overrides,
  };
}

/** `exactly` this; several: `firstAvailable` of these. */
export function request(name: string, ...alternatives: readonly Partial<DeviceAlternative>[]): DeviceRequest {
  return { name, alternatives: (alternatives.length === 0 ? [{}] : alternatives).map(alternative) };
}

export function claimSpec(
  requests: readonly DeviceRequest[],
  constraints: readonly DeviceConstraint[] = [],
): DeviceClaimSpec {
  return { requests, constraints, unknown: undefined };
}

export function resourceClaim(overrides: Partial<ResourceClaim> = {}): ResourceClaim {
  return {
    name: 'default/shared',
    spec: claimSpec([request('gpu')]),
    allocation: undefined,
    terminating: false,
    ...overrides,
  };
}

/** Templates of namespace `default` by name, beside the class. */
export function deviceObjects(
  templates: Readonly<Record<string, DeviceClaimSpec>>,
  others: Partial<DeviceObjects> = {},
): DeviceObjects {
  return {
    claims: [],
    classes: [CLASS],
    templates: Object.entries(templates).map(([name, spec]) => ({ name: `default/${name}`, spec })),
    ...others,
  };
}
