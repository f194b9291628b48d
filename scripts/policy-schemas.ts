/** The JSON Schemas of all policies, those of every cloud's node classes too, as `make generate` writes them. */
import '../src/app/clouds.js';

export { schemaFiles } from '../src/apis/schema/schema-for.js';
