/**
 * The catalogue: facts of EC2 instance types, what their nodes leave to pods, and what they cost by estimate.
 * `catalogueFor` gives the embedded one for a region, `readCatalogueFile` one from a file; both answer `forNodeClass`.
 */
export { EFA, type InstanceTerms } from './allocatable.js';
export { Catalogue, type CatalogueEntry, type CatalogueKnowledge, type OtherPrices } from './catalogue.js';
export { catalogueFor } from './embedded/embedded-catalogue.js';
export { embeddedTypes } from './embedded/embedded-types.js';
export type { Accelerator, Attachments, Gpu, InstanceFacts } from './instance-facts.js';
export { readCatalogueFile } from './file/read-catalogue-file.js';
export { estimateFactor, QUOTED_REGION, regionOfZones, REGIONS, usualZones } from './embedded/region.js';
export { rootVolumeGiB } from './root-volume.js';
export { writeCatalogueFile } from './file/catalogue-file.js';
export { asDedicated, withWindowsLicence } from './embedded/estimated-offerings.js';
