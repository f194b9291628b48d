/**
 * The catalogue: facts of EC2 instance types, what their nodes leave to pods, and what they cost by estimate.
 * `catalogueFor` gives the embedded one for a region, `readCatalogueFile` one from a file; both answer `forNodeClass`.
 */
export { catalogueFor } from './embedded-catalogue.js';
export { Catalogue, type CatalogueEntry } from './catalogue.js';
export { DEFAULT_NODE_CLASS } from './default-node-class.js';
export { allocatableFor, type NodeResources } from './allocatable.js';
export type { Accelerator, Gpu, InstanceFacts } from './instance-facts.js';
export { readCatalogueFile, type CatalogueReading } from './read-catalogue-file.js';
export type { CatalogueIssue } from './json-fields.js';
export { writeCatalogueFile } from './write-catalogue-file.js';
export type { CatalogueFile, InstanceTypeRecord, OfferingRecord } from './catalogue-file.js';
export { QUOTED_REGION, regionOfZones, REGIONS } from './region.js';
export {
  CATALOGUE_SORT_KEYS,
  cheapestPrice,
  filterCatalogue,
  sortCatalogue,
  type CatalogueFilter,
  type CatalogueSortKey,
} from './filter.js';
export { parseRange, type NumberRange } from './range.js';
