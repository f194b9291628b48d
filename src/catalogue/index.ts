/**
 * The catalogue: facts of EC2 instance types, what their nodes leave to pods, and what they cost by estimate.
 * `catalogueFor` gives the embedded one for a region, `readCatalogueFile` one from a file; both answer `forNodeClass`.
 */
export type { Catalogue } from './catalogue.js';
export type { CatalogueFile } from './catalogue-file.js';
export { catalogueFor } from './embedded-catalogue.js';
export {
  CATALOGUE_SORT_KEYS,
  filterCatalogue,
  sortCatalogue,
  type CatalogueFilter,
  type CatalogueSortKey,
} from './filter.js';
export type { InstanceFacts } from './instance-facts.js';
export { parseRange, type NumberRange } from './range.js';
export { readCatalogueFile } from './read-catalogue-file.js';
export { regionOfZones, REGIONS } from './region.js';
export { writeCatalogueFile } from './write-catalogue-file.js';
