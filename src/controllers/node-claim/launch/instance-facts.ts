/** What is known of a claim's instance before its node has said anything. */
import { paidPrice, type InstanceType } from '../../../domain/nodes/instance-type.js';
import { launchedResources } from '../../../domain/nodes/launched-resources.js';
import type { LaunchStatus, NodeClaimStatus } from '../../../domain/nodes/node-claim.js';
import type { ResourceList } from '../../../domain/values/resources.js';
import type { CloudInstance } from '../../../ports/cloud.js';

/** Of a type that is not known. */
const NO_FACTS = { capacity: new Map<string, number>(), allocatable: new Map<string, number>() };

interface InstanceFactsQuestion {
  readonly instance: CloudInstance;
  readonly launch: Pick<LaunchStatus, 'request'>;
  /** What the claim asks for. */
  readonly requests: ResourceList;
  /** Those of the claim's node class for its pool. */
  readonly types: readonly InstanceType[];
}

/** The part of a claim's status that an instance settles. */
export function instanceFacts(question: InstanceFactsQuestion): Partial<NodeClaimStatus> {
  const { instance, launch, requests, types } = question;
  const { request } = launch;
  const { providerID, instanceType, zone, capacityType, imageID } = instance;
  const type = types.find(({ name }) => name === instanceType);
  const asked = request.overrides.find(
    (override) => override.instanceType === instanceType && override.zone === zone,
  );
  const offered = type?.offerings.find(
    (offering) => offering.zone === zone && offering.capacityType === capacityType,
  );
  return {
    providerID,
    instanceType,
    zone,
    capacityType,
    // A cloud that has only just launched it may not say.
    imageID: imageID === '' ? asked?.imageID : imageID,
    hourlyPrice: asked?.price ?? (offered && paidPrice(offered)),
    ...(type === undefined ? NO_FACTS : launchedResources(type, requests)),
  };
}
