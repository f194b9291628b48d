/** What is known of a claim's machine before its node has said anything. */
import type { Catalogue } from '../../catalogue/index.js';
import type { LaunchStatus, NodeClaimStatus } from '../../domain/node-claim.js';
import type { Machine, NodeClassSource } from '../../ports/cloud.js';

/** The part of a claim's status that a machine settles. */
export function machineFacts(
  machine: Machine,
  { request }: LaunchStatus,
  { catalogue, source }: { readonly catalogue: Catalogue; readonly source: NodeClassSource | undefined },
): Partial<NodeClaimStatus> {
  const { providerID, instanceType, zone, capacityType, imageID } = machine;
  const types = source ? catalogue.forNodeClass(source.nodeClass) : catalogue.instanceTypes;
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
    hourlyPrice: asked?.price ?? offered?.price,
    capacity: type?.capacity ?? new Map(),
    allocatable: type?.allocatable ?? new Map(),
  };
}
