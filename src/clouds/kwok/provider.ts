/** KWOK as the program uses it: Node objects for instances, types and prices from a file. */
import { readFileSync } from 'node:fs';
import type {
  CloudParts,
  CloudProvider,
  CloudSettings,
  CloudSource,
} from '../../runtime/process/cloud-provider.js';
import { generatedTypes, KwokCatalogue, readInstanceTypes } from './instance-types.js';
import { KwokCloud } from './kwok-cloud.js';
import { kwokHandover } from './kwok-handover.js';
import { INSTANCE_TYPES_FLAG, INSTANCE_TYPES_KEY } from './options.js';

export const provider: CloudProvider = {
  check: (settings) => {
    catalogueOf(settings);
  },
  make,
};

function make({ settings, nodes, nodeWriter, permit, clock }: CloudParts): CloudSource {
  const read = catalogueOf(settings);
  const catalogue = (): KwokCatalogue => read;
  return {
    cloud: new KwokCloud({ catalogue, nodes, writer: nodeWriter, permit, clock }),
    handover: kwokHandover(nodes, nodeWriter),
    catalogue,
    interruptions: undefined,
    upkeep: [],
    close: () => undefined,
  };
}

/** @throws RangeError, when the file cannot be used. */
function catalogueOf({ own }: CloudSettings): KwokCatalogue {
  const file = own[INSTANCE_TYPES_KEY];
  if (typeof file !== 'string') return new KwokCatalogue(generatedTypes());
  try {
    return new KwokCatalogue(readInstanceTypes(JSON.parse(readFileSync(file, 'utf8'))));
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new RangeError(`--${INSTANCE_TYPES_FLAG} ${file}: ${message}`, { cause });
  }
}
