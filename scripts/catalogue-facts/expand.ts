/** Works the family tables out: a row per family with a row per size, every ladder resolved. */
import type { DeviceRow, FamilyRow, SizeRow } from '../../src/clouds/aws/catalogue/embedded/family-row.js';
import { roundPrice } from '../../src/catalogue/price.js';
import { ACCELERATED, ACCELERATED_EXCEPTIONS } from './accelerated.js';
import { EBS_LADDERS, NETWORK_LADDERS } from './bandwidth-ladders.js';
import { COMPUTE_OPTIMIZED, COMPUTE_OPTIMIZED_EXCEPTIONS } from './compute-optimized.js';
import { DEVICES } from './devices.js';
import { parseExceptions, parseFamilies, parseTable, type FamilyFacts } from './family-table.js';
import { GENERAL_PURPOSE, GENERAL_PURPOSE_EXCEPTIONS } from './general-purpose.js';
import { CLOCK_LADDERS, NVME_LADDERS } from './hardware-ladders.js';
import { BRANCH_LADDERS, EFA_LADDERS, ENI_LADDERS } from './interface-ladders.js';
import { parseLadders, valueAt, type Ladders } from './ladder.js';
import { MEMORY_OPTIMIZED, MEMORY_OPTIMIZED_EXCEPTIONS } from './memory-optimized.js';
import { expandSizes, usualVcpu } from './size.js';
import { estimatedSpotRatio } from './spot-ratio.js';
import { STORAGE_OPTIMIZED, STORAGE_OPTIMIZED_EXCEPTIONS } from './storage-optimized.js';

const TABLES = [GENERAL_PURPOSE, COMPUTE_OPTIMIZED, MEMORY_OPTIMIZED, STORAGE_OPTIMIZED, ACCELERATED];
const EXCEPTIONS = parseExceptions(
  [
    GENERAL_PURPOSE_EXCEPTIONS,
    COMPUTE_OPTIMIZED_EXCEPTIONS,
    MEMORY_OPTIMIZED_EXCEPTIONS,
    STORAGE_OPTIMIZED_EXCEPTIONS,
    ACCELERATED_EXCEPTIONS,
  ].join('\n'),
);
const LADDERS: ReadonlyMap<string, Ladders> = new Map([
  ['mhz', parseLadders(CLOCK_LADDERS)],
  ['eni', parseLadders(ENI_LADDERS)],
  ['network', parseLadders(NETWORK_LADDERS)],
  ['ebs', parseLadders(EBS_LADDERS)],
  ['branch', parseLadders(BRANCH_LADDERS)],
  ['efa', parseLadders(EFA_LADDERS)],
  ['nvme', parseLadders(NVME_LADDERS)],
]);
const NO_LADDERS: Ladders = new Map();
const DEVICE_BY_FAMILY = new Map(parseTable(DEVICES).map((device) => [device.get('family'), device]));

/** All families of the tables, in their order. @throws RangeError when a cell cannot be read. */
export function expandFamilies(): readonly FamilyRow[] {
  return TABLES.flatMap(parseFamilies).map(expandFamily);
}

function expandFamily(facts: FamilyFacts): FamilyRow {
  const device = expandDevice(facts.family);
  const enclavesFrom = leastForEnclaves(facts);
  return {
    family: facts.family,
    cpu: facts.cpu,
    hypervisor: facts.notes.includes('xen') ? 'xen' : 'nitro',
    encryptionInTransit: !facts.notes.includes('plaintext'),
    spotRatio: facts.notes.includes('on-demand') ? 0 : estimatedSpotRatio(facts.family, facts.cpu),
    ...(enclavesFrom !== undefined && { enclavesFrom }),
    ...(device && { device }),
    sizes: expandSizes(facts.sizes).map((size) => expandSize(facts, size)),
  };
}

/** Processors of AMD that have a core for each vCPU, and Nitro Enclaves from two on. */
const AMD_WITH_WHOLE_CORES = 8;

/**
 * vCPUs from which a virtual size has Nitro Enclaves: an enclave takes whole cores, and one is left to its parent. undefined
 * where the family has none. From the requirements in the Nitro Enclaves User Guide, beside what DescribeInstanceTypes says.
 */
function leastForEnclaves({ family, cpu, notes }: FamilyFacts): number | undefined {
  if (notes.includes('xen') || notes.includes('no-enclaves')) return undefined;
  const generation = Number(/^[a-z]+(\d+)/.exec(family)?.[1] ?? 0);
  return cpu === 'aws' || (cpu === 'amd' && generation >= AMD_WITH_WHOLE_CORES) ? 2 : 4;
}

function expandDevice(family: string): DeviceRow | undefined {
  const cells = DEVICE_BY_FAMILY.get(family);
  if (!cells) return undefined;
  const cores = Number(valueAt(cells.get('cores') ?? '-', 0, NO_LADDERS));
  return {
    name: cells.get('name') ?? '',
    manufacturer: cells.get('manufacturer') ?? '',
    ...(cores > 0 && { cores }),
  };
}

function expandSize(facts: FamilyFacts, size: string): SizeRow {
  const name = `${facts.family}.${size}`;
  const exceptions = EXCEPTIONS.get(name);
  const vcpu = Number(exceptions?.get('vcpu') ?? usualVcpu(size, expandSizes(facts.sizes)));
  const cell = (column: string) =>
    valueAt(
      exceptions?.get(column) ?? facts.cells.get(column) ?? '-',
      vcpu,
      LADDERS.get(column) ?? NO_LADDERS,
    );
  const [interfaces = 0, addresses = 0] = cell('eni').split('x').map(Number);
  const row: SizeRow = [
    size,
    vcpu,
    Number(exceptions?.get('mib') ?? Math.round(facts.gib * 1024 * vcpu)),
    interfaces,
    addresses,
    Number(exceptions?.get('usd') ?? roundPrice(facts.usd * vcpu)),
    Number(cell('network')),
    Number(cell('ebs')),
    Number(cell('branch')),
    Number(cell('nvme')),
    Number(cell('mhz')),
    Number(cell('efa')),
    ...deviceNumbers(facts.family, vcpu),
  ];
  if (!row.slice(1).every(Number.isFinite))
    throw new RangeError(`${name}: not all numbers: ${row.join(', ')}`);
  return row;
}

/** Count and memory of the devices of a size. */
function deviceNumbers(family: string, vcpu: number): readonly [] | readonly [number, number] {
  const cells = DEVICE_BY_FAMILY.get(family);
  if (!cells) return [];
  const at = (column: string) => Number(valueAt(cells.get(column) ?? '-', vcpu, NO_LADDERS));
  return [at('count'), at('mib')];
}
