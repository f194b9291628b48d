/** What CreateFleet answers, as instances and as offerings that were not available. */
import type { CreateFleetError, CreateFleetInstance, CreateFleetResult } from '@aws-sdk/client-ec2';
import type { LaunchOverride, LaunchRequest } from '../../../../domain/nodes/node-claim.js';
import {
  instanceTags,
  type CloudInstance,
  type FailureReach,
  type LaunchAnswer,
  type LaunchCall,
  type LaunchFailure,
} from '../../../../ports/cloud.js';

/** `now`: milliseconds since 1970, taken for the time of the launch. */
export function launchAnswer(call: LaunchCall, answer: CreateFleetResult, now: number): LaunchAnswer {
  const { request } = call;
  const instances = (answer.Instances ?? []).flatMap((group) => instancesOf(call, group, now));
  const failures = (answer.Errors ?? []).flatMap((error) => failuresOf(request, error));
  return { instances, failures: inOrder(request, failures) };
}

interface Place {
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
  readonly subnetID: string | undefined;
  readonly templateID: string | undefined;
}

function placeOf({
  LaunchTemplateAndOverrides: asked,
}: Pick<CreateFleetError, 'LaunchTemplateAndOverrides'>): Place {
  const { InstanceType, AvailabilityZone, SubnetId } = asked?.Overrides ?? {};
  return {
    instanceType: InstanceType,
    zone: AvailabilityZone,
    subnetID: SubnetId,
    templateID: asked?.LaunchTemplateSpecification?.LaunchTemplateId,
  };
}

/** What is not said may be anything. */
function isAt({ instanceType, zone, subnetID, launchTemplate }: LaunchOverride, place: Place): boolean {
  return (
    (place.instanceType ?? instanceType) === instanceType &&
    (place.zone ?? zone) === zone &&
    (place.subnetID ?? subnetID) === subnetID &&
    (place.templateID ?? launchTemplate?.id) === launchTemplate?.id
  );
}

function instancesOf(call: LaunchCall, group: CreateFleetInstance, now: number): readonly CloudInstance[] {
  const { request } = call;
  const place = placeOf(group);
  const whole: Place = { ...place, instanceType: group.InstanceType ?? place.instanceType };
  const asked = request.overrides.find((override) => isAt(override, whole));
  const zone = whole.zone ?? asked?.zone ?? '';
  const tags = instanceTags(call);
  return (group.InstanceIds ?? []).map((id) => ({
    id,
    providerID: `aws:///${zone}/${id}`,
    instanceType: whole.instanceType ?? asked?.instanceType ?? '',
    zone,
    capacityType: request.capacityType,
    imageID: asked?.imageID ?? '',
    state: 'pending',
    launchedAt: now,
    tags,
  }));
}

function failuresOf(request: LaunchRequest, error: CreateFleetError): readonly LaunchFailure[] {
  const { ErrorCode: code = 'Unknown', ErrorMessage: message = '' } = error;
  const place = placeOf(error);
  const matching = request.overrides.filter((override) => isAt(override, place));
  // An error without details is about all of them.
  const blamed = matching.length > 0 ? matching : request.overrides;
  return blamed.map(({ instanceType, zone }) => ({
    instanceType,
    zone,
    capacityType: request.capacityType,
    code,
    message,
    reach: reachOf(code),
  }));
}

/** In the order in which they were asked for, each once: EC2 gives no order, and may complain twice. */
function inOrder(request: LaunchRequest, failures: readonly LaunchFailure[]): readonly LaunchFailure[] {
  const keyOf = ({ instanceType, zone }: Pick<LaunchFailure, 'instanceType' | 'zone'>): string =>
    `${instanceType} ${zone}`;
  const ranks = new Map(request.overrides.map((override, index) => [keyOf(override), index]));
  const unique = new Map(failures.map((failure) => [`${keyOf(failure)} ${failure.code}`, failure]));
  return [...unique.values()].sort(
    (left, right) => (ranks.get(keyOf(left)) ?? 0) - (ranks.get(keyOf(right)) ?? 0),
  );
}

/** How far each of EC2's reasons for not launching an offering reaches, by CreateFleet's error code; those not listed are about the offering. */
const REACH: ReadonlyMap<string, FailureReach> = new Map<string, FailureReach>([
  ['InsufficientFreeAddressesInSubnet', 'zone'],
  ['MaxSpotInstanceCountExceeded', 'capacity-type'],
  ['AuthFailure.ServiceLinkedRoleCreationNotPermitted', 'capacity-type'],
  ['RequestLimitExceeded', 'none'],
  // All offerings of the node class have the same: a permission that is missing, an instance profile that is not valid.
  ['UnauthorizedOperation', 'pool'],
  ['InvalidParameterValue', 'pool'],
  ['InvalidAMIID.Unavailable', 'pool'],
  ['InvalidCapacityReservationId.NotFound', 'offering'],
  ['InternalError', 'none'],
  ['Unavailable', 'none'],
]);

/** An image, security group, subnet or key pair that is gone is nothing that another offering of the node class has. */
export function reachOf(code: string): FailureReach {
  if (isTemplateGone(code)) return 'none';
  return REACH.get(code) ?? (code.endsWith('NotFound') ? 'pool' : 'offering');
}

/** Another client deleted the launch template, which the next attempt creates again. */
export function isTemplateGone(code: string): boolean {
  return code.startsWith('InvalidLaunchTemplate') && code.includes('NotFound');
}
