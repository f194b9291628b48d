/** An EC2 instance as the Cloud port shows it. */
import type { Instance } from '@aws-sdk/client-ec2';
import type { CapacityType } from '../../../../domain/nodes/instance-type.js';
import type { CloudInstance } from '../../../../ports/cloud.js';

const STATES: readonly CloudInstance['state'][] = [
  'pending',
  'running',
  'stopping',
  'stopped',
  'shutting-down',
  'terminated',
];

/** undefined for one without an id, or in a state that EC2 does not document. */
export function cloudInstanceOf(instance: Instance): CloudInstance | undefined {
  const { InstanceId: id, InstanceType: instanceType = '', Placement, State, LaunchTime, Tags } = instance;
  const state = STATES.find((name) => name === State?.Name);
  if (id === undefined || state === undefined) return undefined;
  const zone = Placement?.AvailabilityZone ?? '';
  return {
    id,
    providerID: `aws:///${zone}/${id}`,
    instanceType,
    zone,
    capacityType: capacityTypeOf(instance),
    imageID: instance.ImageId ?? '',
    state,
    launchedAt: LaunchTime?.getTime() ?? 0,
    tags: new Map((Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value])),
    securityGroupIDs: instance.SecurityGroups?.flatMap(({ GroupId }) => GroupId ?? []),
  };
}

/** An on-demand instance may happen to use an open reservation; reserved is one that was launched into one. */
function capacityTypeOf({
  InstanceLifecycle,
  CapacityReservationSpecification: asked,
}: Instance): CapacityType {
  if (InstanceLifecycle === 'spot') return 'spot';
  return asked?.CapacityReservationTarget?.CapacityReservationId === undefined ? 'on-demand' : 'reserved';
}
