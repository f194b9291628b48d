/** AWS behind Berth's ports: instances, what they cost, and what happens to them. */
export { accountChecks } from './account/account-checks.js';
export { AwsCloud } from './aws-cloud.js';
export { awsClients } from './client/aws-clients.js';
export { instanceRegion } from './client/instance-region.js';
export type { SdkRequestHandler } from './client/sdk-clients.js';
export { instanceStatuses } from './interruptions/instance-statuses.js';
export { sqsInterruptionQueue } from './interruptions/sqs-interruption-queue.js';
export { zonalShifts } from './interruptions/zonal-shifts.js';
export { ec2Handover } from './instances/ec2-handover.js';
export type { AllowLists } from './node-class/allow-lists.js';
export { ClusterSource, type ClusterOptions } from './node-class/cluster-source.js';
export { capacityBlockEnds } from './node-class/capacity-reservations.js';
export { LiveCatalogue } from './prices/live-catalogue.js';
export { ReportedMemory } from './prices/reported-memory.js';
