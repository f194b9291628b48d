/**
 * The devices that NVIDIA's DRA driver (gpu.nvidia.com) publishes for the GPUs of an instance type, as far as they are known
 * before a node has any: one for each GPU. Product names, architectures and compute capabilities are NVIDIA's own.
 */
import {
  unusedDevices,
  type Device,
  type DeviceAttribute,
  type NodeDevices,
} from '../../../domain/devices/device.js';
import type { InstanceType } from '../../../domain/nodes/instance-type.js';
import { parseQuantity } from '../../../domain/values/quantity.js';
import type { InstanceFacts } from './instance-facts.js';

const DRIVER = 'gpu.nvidia.com';

/** Product, architecture, CUDA compute capability. A product whose name says how much memory it has is known by that. */
const PRODUCTS: Readonly<Record<string, readonly [string, string, string]>> = {
  t4: ['Tesla T4', 'Turing', '7.5.0'],
  t4g: ['NVIDIA T4G', 'Turing', '7.5.0'],
  a10g: ['NVIDIA A10G', 'Ampere', '8.6.0'],
  l4: ['NVIDIA L4', 'Ada Lovelace', '8.9.0'],
  l40s: ['NVIDIA L40S', 'Ada Lovelace', '8.9.0'],
  'v100 16384': ['Tesla V100-SXM2-16GB', 'Volta', '7.0.0'],
  'v100 32768': ['Tesla V100-SXM2-32GB', 'Volta', '7.0.0'],
  'a100 40960': ['NVIDIA A100-SXM4-40GB', 'Ampere', '8.0.0'],
  'a100 81920': ['NVIDIA A100-SXM4-80GB', 'Ampere', '8.0.0'],
  h100: ['NVIDIA H100 80GB HBM3', 'Hopper', '9.0.0'],
  h200: ['NVIDIA H200', 'Hopper', '9.0.0'],
  b200: ['NVIDIA B200', 'Blackwell', '10.0.0'],
};

/** Types with equal GPUs have one object between them. */
const made = new Map<string, NodeDevices>();

export function devicesOf({ gpu }: Pick<InstanceFacts, 'gpu'>): Pick<InstanceType, 'devices'> {
  if (gpu?.manufacturer !== 'nvidia' || gpu.count === 0) return {};
  const { name, count, memoryMiB } = gpu;
  const key = `${name} ${String(memoryMiB)} ${String(count)}`;
  const devices = made.get(key) ?? gpuDevices(name, memoryMiB, count);
  made.set(key, devices);
  return { devices };
}

function gpuDevices(name: string, memoryMiB: number, count: number): NodeDevices {
  const attributes = new Map<string, DeviceAttribute>([[`${DRIVER}/type`, { type: 'string', value: 'gpu' }]]);
  const product = PRODUCTS[name] ?? PRODUCTS[`${name} ${String(memoryMiB)}`];
  if (product !== undefined) {
    const [productName, architecture, capability] = product;
    attributes.set(`${DRIVER}/productName`, { type: 'string', value: productName });
    attributes.set(`${DRIVER}/architecture`, { type: 'string', value: architecture });
    attributes.set(`${DRIVER}/cudaComputeCapability`, { type: 'version', value: capability });
  }
  const value = parseQuantity(`${String(memoryMiB)}Mi`);
  const capacity = new Map(memoryMiB === 0 ? [] : [[`${DRIVER}/memory`, { value, policy: undefined }]]);
  const devices = Array.from({ length: count }, (_, index): Device => ({
    name: `gpu-${String(index)}`,
    attributes,
    capacity,
    taints: [],
    shareable: false,
    consumes: [],
  }));
  return unusedDevices([{ driver: DRIVER, name: '', devices, counters: new Map(), shared: false }]);
}
