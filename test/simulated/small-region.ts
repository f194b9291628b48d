/** What the simulated region sells: a few families of each kind, since every type costs time in every world that starts. */
import { Catalogue, catalogueFor } from '../../src/clouds/aws/catalogue/index.js';

export const REGION = 'eu-west-3';

const FAMILIES = new Set(
  't3 t3a t4g c5 c5a c6a c6g c6i m5 m5a m6a m6g m6i r5 r5a r6g r6i g4dn g5 g6'.split(' '),
);
const SIZES = new Set(['small', 'medium', 'large', 'xlarge', '2xlarge', '4xlarge', '8xlarge']);

export interface SmallRegionOptions {
  /** Some of the small region's. */
  readonly families?: ReadonlySet<string>;
  readonly sizes?: ReadonlySet<string>;
}

/** Prices and facts are the embedded catalogue's. */
export function smallRegion({ families = FAMILIES, sizes = SIZES }: SmallRegionOptions = {}): Catalogue {
  const entries = ALL.entries.filter(({ facts }) => {
    const [family = '', size = ''] = facts.name.split('.');
    return families.has(family) && sizes.has(size);
  });
  return new Catalogue({ region: REGION, entries });
}

const ALL = catalogueFor(REGION);
