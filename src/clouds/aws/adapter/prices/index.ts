/** Instance types, offerings and prices as AWS has them: `LiveCatalogue`. */
export { LiveCatalogue } from './live-catalogue.js';
