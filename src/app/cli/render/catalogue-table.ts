/** Instance types as a table. */
import type { Catalogue, InstanceFacts } from '../../../clouds/aws/catalogue/index.js';
import type { CapacityType, InstanceType } from '../../../domain/nodes/instance-type.js';
import { CPU, MEMORY } from '../../../domain/values/resources.js';
import { formatCores, formatMemory, formatPrice } from './text/numbers.js';
import { tableLines } from './text/table.js';
import type { Terminal } from './text/terminal.js';

const COLUMNS = [
  { header: 'NAME' },
  { header: 'VCPU', align: 'right' },
  { header: 'MEMORY', align: 'right' },
  { header: 'ARCH' },
  { header: 'GPU' },
  { header: 'PODS', align: 'right' },
  { header: 'NETWORK', align: 'right' },
  { header: 'ON-DEMAND', align: 'right' },
  { header: 'SPOT', align: 'right' },
  { header: 'ALLOC-CPU', align: 'right' },
  { header: 'ALLOC-MEMORY', align: 'right' },
] as const;

/** One line per type, in the order given; `types` are some of the catalogue's. */
export function catalogueTable(
  catalogue: Catalogue,
  types: readonly InstanceType[],
  { style }: Terminal,
): string {
  const facts = new Map(catalogue.entries.map((entry) => [entry.facts.name, entry.facts]));
  const rows = types.map((type) => rowOf(type, facts.get(type.name)));
  const [header = '', ...lines] = tableLines(COLUMNS, rows);
  return `${[style.bold(header), ...lines].join('\n')}\n`;
}

function rowOf(type: InstanceType, facts: InstanceFacts | undefined): readonly string[] {
  return [
    type.name,
    String(facts?.vcpu ?? '-'),
    facts === undefined ? '-' : formatMemory(facts.memoryMiB * 2 ** 20),
    type.arch,
    gpuText(facts),
    String(type.allocatable.get('pods') ?? 0),
    networkText(facts?.networkMbps),
    priceText(type, 'on-demand'),
    priceText(type, 'spot'),
    formatCores(type.allocatable.get(CPU) ?? 0),
    formatMemory(type.allocatable.get(MEMORY) ?? 0),
  ];
}

function gpuText(facts: InstanceFacts | undefined): string {
  const { gpu, accelerator } = facts ?? {};
  const device = gpu ?? accelerator;
  return device === undefined ? '-' : `${String(device.count)} ${device.name}`;
}

function networkText(mbps: number | undefined): string {
  if (mbps === undefined) return '-';
  return mbps < 1000 ? `${String(mbps)}M` : `${String(Math.round(mbps / 100) / 10)}G`;
}

/** The cheapest zone's price; `~` before an estimate. */
function priceText(type: InstanceType, capacityType: CapacityType): string {
  const offerings = type.offerings.filter((offering) => offering.capacityType === capacityType);
  const [cheapest] = [...offerings].sort((left, right) => left.price - right.price);
  if (cheapest === undefined) return '-';
  return `${cheapest.estimated ? '~' : ''}${formatPrice(cheapest.price)}`;
}
