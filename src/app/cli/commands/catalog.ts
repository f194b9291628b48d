/** `berth catalog`: the instance types there are, chosen and sorted. */
import { counted } from '../../../domain/values/text.js';
import {
  CATALOGUE_SORT_KEYS,
  type CatalogueFilter,
  type CatalogueSortKey,
  filterCatalogue,
  sortCatalogue,
} from '../../../catalogue/filter.js';
import { type NumberRange, parseRange } from '../../../catalogue/range.js';
import {
  type Catalogue,
  type InstanceFacts,
  regionOfZones,
  writeCatalogueFile,
} from '../../../clouds/aws/catalogue/index.js';
import { CAPACITY_TYPES, type CapacityType, type InstanceType } from '../../../domain/nodes/instance-type.js';
import { INSTANCE_PREFIX } from '../../../domain/values/labels.js';
import { CATALOGUE_FLAGS, chooseCatalogue } from '../../input/choose-catalogue.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { didYouMean } from '../../command/did-you-mean.js';
import { EXIT_OK } from '../../command/exit-codes.js';
import { OUTPUT_FLAG, outputOf } from '../../command/output-format.js';
import { jsonText, yamlText } from '../render/document-text.js';
import { type Terminal, terminalOf } from '../render/text/terminal.js';
import { UsageError } from '../../command/usage-error.js';
import { CPU, MEMORY } from '../../../domain/values/resources.js';
import { formatCores, formatMemory, formatPrice } from '../render/text/numbers.js';
import { tableLines } from '../render/text/table.js';

const DEFAULT_REGION = 'us-east-1';

export const CATALOG: Command = {
  usage: '[--region REGION | --catalog FILE] [filters] [-o table|json|yaml]',
  maxWords: 0,
  flags: [
    ...CATALOGUE_FLAGS,
    { name: 'cpu', value: 'RANGE', help: 'vCPUs: 4, 4..16, 4.. or ..16' },
    { name: 'memory', value: 'RANGE', help: 'memory in GiB' },
    { name: 'gpu', value: 'RANGE', help: 'number of GPUs (0: types without)' },
    { name: 'generation', value: 'RANGE', help: 'generation of the family (7 in m7g)' },
    { name: 'arch', value: 'amd64|arm64', allowed: ['amd64', 'arm64'], help: 'architecture' },
    { name: 'family', value: 'NAMES', repeated: true, help: 'families, as in m7g,c7g' },
    { name: 'category', value: 'NAMES', repeated: true, help: 'categories, as in c,m,r' },
    { name: 'capacity-type', value: 'TYPE', allowed: CAPACITY_TYPES, help: CAPACITY_TYPES.join(', ') },
    { name: 'zone', value: 'ZONE', help: 'offered in this zone' },
    { name: 'sort', value: 'KEY', allowed: CATALOGUE_SORT_KEYS, help: CATALOGUE_SORT_KEYS.join(', ') },
    { name: 'limit', value: 'N', help: 'maximum number of instance types listed' },
    OUTPUT_FLAG,
  ],
  details: [
    'Prices are USD/h in the cheapest zone; ~ marks estimates. --sort price sorts by the cheapest offering. -o json prints a catalog file for --catalog.',
    'Example: berth catalog --cpu 4..16 --arch arm64 --sort price --limit 10',
  ],
  run,
};

function run(args: Arguments, io: CliIo): number {
  const filter = filterOf(args);
  const limit = limitOf(args);
  const region = regionOfZones(args.values('zone')) ?? DEFAULT_REGION;
  const catalogue = chooseCatalogue(args, io, { region });
  checkNames('family', filter.families, catalogue);
  checkNames('category', filter.categories, catalogue);
  checkZone(filter.zone, catalogue);
  const types = sortCatalogue(filterCatalogue(catalogue.instanceTypes, filter), sortKeyOf(args)).slice(
    0,
    limit,
  );
  if (types.length === 0) io.stderr.write('no instance type matches\n');
  switch (outputOf(args)) {
    case 'json':
      io.stdout.write(jsonText(writeCatalogueFile(catalogue, types)));
      break;
    case 'yaml':
      io.stdout.write(yamlText(writeCatalogueFile(catalogue, types)));
      break;
    case 'table':
      io.stdout.write(catalogueTable(catalogue, types, terminalOf(io)));
      io.stderr.write(`${counted(types.length, 'instance type')} in ${catalogue.region}\n`);
      break;
  }
  return EXIT_OK;
}

function filterOf(args: Arguments): CatalogueFilter {
  return {
    cpu: rangeOf(args, 'cpu'),
    memoryGiB: rangeOf(args, 'memory'),
    gpu: rangeOf(args, 'gpu'),
    generation: rangeOf(args, 'generation'),
    arch: args.value('arch'),
    families: namesOf(args, 'family'),
    categories: namesOf(args, 'category'),
    capacityType: args.value('capacity-type'),
    zone: args.value('zone'),
  };
}

function rangeOf(args: Arguments, flag: string): NumberRange | undefined {
  const text = args.value(flag);
  if (text === undefined) return undefined;
  try {
    return parseRange(`--${flag}`, text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(error.message, { aboutFlags: true, cause: error });
  }
}

function namesOf(args: Arguments, flag: string): ReadonlySet<string> | undefined {
  const names = args.values(flag).flatMap((value) => value.split(','));
  return names.length === 0 ? undefined : new Set(names.map((name) => name.trim()));
}

/** A family that does not exist is a slip, not a filter that nothing passes. */
function checkNames(flag: string, names: ReadonlySet<string> | undefined, catalogue: Catalogue): void {
  const label = INSTANCE_PREFIX + flag;
  const known = new Set(catalogue.instanceTypes.flatMap((type) => type.labels.get(label) ?? []));
  for (const name of names ?? []) {
    if (known.has(name)) continue;
    const hint = didYouMean(name, [...known]);
    throw new UsageError(`--${flag} ${name}: no instance type in ${catalogue.region} matches${hint}`);
  }
}

function checkZone(zone: string | undefined, { region, instanceTypes }: Catalogue): void {
  const zones = new Set(instanceTypes.flatMap(({ offerings }) => offerings.map((offering) => offering.zone)));
  if (zone === undefined || zones.has(zone)) return;
  throw new UsageError(`--zone ${zone}: unknown zone (${region} has ${[...zones].sort().join(', ')})`);
}

function sortKeyOf(args: Arguments): CatalogueSortKey {
  return CATALOGUE_SORT_KEYS.find((key) => key === args.value('sort')) ?? 'name';
}

function limitOf(args: Arguments): number {
  const text = args.value('limit') ?? 'Infinity';
  if (!/^(Infinity|[1-9]\d{0,8})$/.test(text)) {
    throw new UsageError(`--limit ${text}: expected a positive whole number`, { aboutFlags: true });
  }
  return Number(text);
}

// Instance types as a table.

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
function catalogueTable(catalogue: Catalogue, types: readonly InstanceType[], { style }: Terminal): string {
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
