/** The catalogue a command works with: a catalog file, or the embedded one for a region. */
import { parse } from 'yaml';
import { formatPath } from '../../apis/decode/format-path.js';
import {
  catalogueFor,
  readCatalogueFile,
  REGIONS,
  type Catalogue,
} from '../../clouds/aws/catalogue/index.js';
import type { Arguments, Flag } from '../command/command.js';
import type { CliIo } from '../command/cli-io.js';
import { didYouMean } from '../command/did-you-mean.js';
import { UsageError } from '../command/usage-error.js';

/** The flags that choose a catalogue. */
export const CATALOGUE_FLAGS: readonly Flag[] = [
  { name: 'catalog', value: 'FILE', help: 'instance types, offerings and prices from a catalog file' },
  {
    name: 'region',
    value: 'REGION',
    help: 'region of the embedded catalogue (default: that of the zones named, else us-east-1)',
  },
];

/** What to take when no flag says it. */
export interface CatalogueDefaults {
  readonly region: string;
  /** Zones of the region beyond a, b and c that are known to be in use. */
  readonly furtherZones?: ReadonlySet<string>;
}

/**
 * Reads `--catalog` and `--region`; warnings about the file go to stderr.
 * @throws UsageError when the file cannot be used, the region is not known, or the two contradict each other.
 */
export function chooseCatalogue(args: Arguments, io: CliIo, defaults: CatalogueDefaults): Catalogue {
  const file = args.value('catalog');
  const region = args.value('region');
  if (file === undefined) return embedded(region ?? defaults.region, defaults.furtherZones ?? new Set());
  const catalogue = catalogueIn(file, io);
  if (region === undefined || region === catalogue.region) return catalogue;
  throw new UsageError(`--region ${region}: the catalog file ${file} is for ${catalogue.region}`);
}

function embedded(region: string, furtherZones: ReadonlySet<string>): Catalogue {
  if (!REGIONS.includes(region)) {
    const hint = didYouMean(region, REGIONS);
    throw new UsageError(`--region ${region}: unknown region${hint} (known: ${REGIONS.join(', ')})`);
  }
  if (furtherZones.size === 0) return catalogueFor(region);
  const usual = ['a', 'b', 'c'].map((letter) => region + letter);
  return catalogueFor(region, [...new Set([...usual, ...furtherZones])].sort());
}

function catalogueIn(file: string, io: CliIo): Catalogue {
  const { catalogue, issues } = readCatalogueFile(parsed(file, io));
  const lines = issues.map(({ severity, path, message }) => {
    const where = formatPath(path);
    return `${file}: ${severity}: ${where === '' ? '' : `${where}: `}${message}`;
  });
  if (catalogue === undefined) throw new UsageError(['the catalog file is invalid', ...lines].join('\n'));
  for (const line of lines) io.stderr.write(`${line}\n`);
  return catalogue;
}

/** JSON, or YAML as `berth catalog -o yaml` prints it. */
function parsed(file: string, io: CliIo): unknown {
  const text = readText(file, io);
  try {
    return JSON.parse(text);
  } catch (notJson) {
    return parsedYaml(file, text, notJson);
  }
}

function parsedYaml(file: string, text: string, notJson: unknown): unknown {
  const isJson = /^\s*[{[]/.test(text);
  try {
    if (!isJson) return parse(text);
  } catch (cause) {
    throw new UsageError(`${file}: not YAML: ${firstLine(cause)}`, { cause });
  }
  throw new UsageError(`${file}: not JSON: ${firstLine(notJson)}`, { cause: notJson });
}

function readText(file: string, io: CliIo): string {
  if (io.files.kind(file) !== 'file') throw new UsageError(`${file}: no such file`);
  try {
    return io.files.read(file);
  } catch (cause) {
    throw new UsageError(`${file}: cannot be read: ${firstLine(cause)}`, { cause });
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
