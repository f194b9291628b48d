/** Calls to AWS: `awsClients` makes them, `AwsError` says how they failed. */
export { allPages } from './all-pages.js';
export { awsClients, type AwsClients, type AwsClientsOptions, type CallOptions } from './aws-clients.js';
export { AwsError } from './aws-error.js';
export { inProcessHandler } from './in-process-handler.js';
