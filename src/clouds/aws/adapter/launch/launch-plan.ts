/** From what a launch group needs to the request that is written down and asked for. */
import { EFA, rootVolumeGiB, type Catalogue } from '../../catalogue/index.js';
import { CAPACITY_RESERVATION_ID, PLACEMENT_GROUP_PARTITION } from '../../../../domain/values/labels.js';
import { EPHEMERAL_STORAGE } from '../../../../domain/values/resources.js';
import type { EC2NodeClass } from '../../api/ec2-node-class.js';
import type { LaunchOverride, LaunchRequest, ReservedMarket } from '../../../../domain/nodes/node-claim.js';
import {
  ownerTags,
  type ClusterIdentity,
  type LaunchIntent,
  type ResolvedReservation,
} from '../../../../ports/cloud.js';
import { PortError } from '../../../../ports/port-error.js';
import { imageFor, type InstanceKind } from '../discovery/choose-images.js';
import type { KubeletDocument } from '../../../../apis/fields/kubelet.js';
import { writtenKubelet } from '../../families/kubelet-expressions.js';
import type { KubeletSettings } from '../../families/node-settings.js';
import { caFingerprint } from '../node-class/ca-fingerprint.js';
import { userDataFor } from '../../families/user-data.js';
import { launchTemplateData, marketOf } from './launch-template-data.js';
import type { LaunchTemplates } from './launch-templates.js';
import type { NodeClassView } from '../node-class/node-class-view.js';
import type { SubnetWithRoom } from '../node-class/subnet-choice.js';

export interface LaunchPlanQuestion {
  readonly intent: LaunchIntent;
  /** That of the intent. */
  readonly nodeClass: EC2NodeClass;
  readonly view: NodeClassView;
  readonly catalogue: Catalogue;
  readonly owner: ClusterIdentity;
  /** By zone. */
  readonly subnets: ReadonlyMap<string, SubnetWithRoom>;
  /** Asked for only where the capacity type is reserved. */
  readonly reservations: readonly ResolvedReservation[];
}

/** An offering that can be asked for, but for its launch template. */
type Placed = Omit<LaunchOverride, 'launchTemplate'> & OfferingParts;

/** What a launch template says that is not the same for all offerings of a launch. */
interface OfferingParts {
  readonly reservation: ResolvedReservation | undefined;
  /** What the root volume has to have; undefined where the node class's own size will do. */
  readonly rootVolumeGiB: number | undefined;
  /** The kubelet's settings on nodes of the type, and the most pods that it takes. */
  readonly kubelet: KubeletSettings;
  readonly maxPods: number;
  /** Network cards that get an Elastic Fabric Adapter: none unless pods of the launch request one. */
  readonly efaCards: readonly number[];
}

/** Makes the launch templates that are missing. @throws PortError Invalid, when none of the offerings can be launched. */
export async function planLaunch(
  question: LaunchPlanQuestion,
  templates: Pick<LaunchTemplates, 'ensure'>,
  signal?: AbortSignal,
): Promise<LaunchRequest> {
  const { intent, view } = question;
  const { placed, market } = ofOneMarket(placeAll(question));
  const known = new Map<string, LaunchOverride['launchTemplate']>();
  const overrides: LaunchOverride[] = [];
  const tags = new Map(Object.entries(view.spec.tags ?? {}));
  for (const { reservation, rootVolumeGiB: volume, kubelet: settings, maxPods, ...placing } of placed) {
    const { efaCards, ...offering } = placing;
    const kubelet = writtenKubelet(view.spec.kubelet, settings);
    const reserved = [kubelet?.kubeReserved, kubelet?.systemReserved];
    const key = JSON.stringify([offering.imageID, reservation?.id, volume, maxPods, efaCards, reserved]);
    let launchTemplate = known.get(key);
    if (launchTemplate === undefined) {
      const userData = textOf(question, kubelet, maxPods);
      const own = { reservation, rootVolumeGiB: volume, efaCards };
      const parts = { imageID: offering.imageID, userData, ...own };
      launchTemplate = await templates.ensure(templateData(question, parts), { tags, signal });
      known.set(key, launchTemplate);
    }
    overrides.push({ ...offering, launchTemplate });
  }
  const { context } = view.spec;
  const certificateAuthority = caFingerprint(view.cluster);
  return {
    capacityType: intent.capacityType,
    ...(market !== undefined && { market }),
    size: intent.size,
    overrides,
    ...(tags.size > 0 && { tags }),
    ...(context !== undefined && { context }),
    ...(certificateAuthority !== undefined && { certificateAuthority }),
  };
}

/**
 * Those of the market of the first: a fleet buys on one. Of capacity blocks it takes a single one (EC2 user guide, EC2 Fleet
 * tutorial for capacity blocks).
 */
function ofOneMarket(placed: readonly Placed[]): {
  readonly placed: readonly Placed[];
  readonly market: ReservedMarket | undefined;
} {
  const first = placed[0]?.reservation;
  const market = first && marketOf(first);
  const isBeside = ({ reservation }: Placed): boolean =>
    (reservation && marketOf(reservation)) === market &&
    (market !== 'capacity-block' || reservation?.id === first?.id);
  return { placed: placed.filter(isBeside), market };
}

/** In their order, those left out for which there is no image, no subnet or no reservation. */
function placeAll(question: LaunchPlanQuestion): readonly Placed[] {
  const { intent, nodeClass, view, catalogue, subnets, reservations } = question;
  const facts = new Map(catalogue.entries.map((entry) => [entry.facts.name, entry.facts]));
  const refused = new Set<string>();
  const isReserved = intent.capacityType === 'reserved';
  const wanted = intent.labels.get(CAPACITY_RESERVATION_ID);
  const storage = intent.requests?.get(EPHEMERAL_STORAGE) ?? 0;
  const hasEFA = (intent.requests?.get(EFA) ?? 0) > 0;
  const placed = intent.offerings.flatMap((offering): readonly Placed[] => {
    const { instanceType, zone } = offering;
    const type = facts.get(instanceType);
    const image = type && imageFor(view.images, instanceKind(type));
    const subnet = subnets.get(zone);
    const reservation = reservations.find(
      ({ id, available, ...each }) =>
        each.instanceType === instanceType &&
        each.zone === zone &&
        available > 0 &&
        (each.tenancy ?? 'default') === (intent.tenancy ?? 'default') &&
        (wanted === undefined || wanted === id),
    );
    if (type === undefined) refused.add(`EC2 does not offer ${instanceType} in this region`);
    else if (image === undefined)
      refused.add(`no image matches ${type.arch} instance types such as ${instanceType}`);
    else if (subnet === undefined) refused.add(`there is no subnet in ${zone}`);
    else if (isReserved && reservation === undefined)
      refused.add(`no capacity reservation has an ${instanceType} in ${zone}`);
    else {
      const volume = rootVolumeGiB(type, nodeClass, storage);
      const efaCards = hasEFA ? type.efaCards : [];
      const parts = { reservation, rootVolumeGiB: volume, efaCards, ...catalogue.kubeletOf(type, nodeClass) };
      return [{ ...offering, imageID: image.id, subnetID: subnet.id, ...parts }];
    }
    return [];
  });
  if (placed.length > 0) return placed;
  throw invalid(intent, [...refused].slice(0, 5).join('; '));
}

/** What an image has to suit. */
export function instanceKind({
  arch,
  gpu,
  accelerator,
}: Catalogue['entries'][number]['facts']): InstanceKind {
  return { arch, hasGpu: gpu !== undefined, hasAccelerator: accelerator !== undefined };
}

function textOf(
  { intent, nodeClass, view }: LaunchPlanQuestion,
  kubelet: KubeletDocument | undefined,
  maxPods: number,
): string {
  const { spec, cluster } = view;
  const { labels, taints } = intent;
  const userData = userDataFor(nodeClass.amiFamily, {
    cluster,
    labels,
    taints,
    kubelet,
    maxPods,
    isInstanceStoreRaid0: spec.instanceStorePolicy === 'RAID0',
    own: spec.userData,
  });
  if ('text' in userData) return userData.text;
  throw invalid(intent, userData.problem);
}

function templateData(
  { intent, nodeClass, view, owner }: LaunchPlanQuestion,
  { imageID, reservation, rootVolumeGiB: volume, efaCards, userData }: TemplateParts,
) {
  const { spec, securityGroups, instanceProfile, isIPv6 } = view;
  return launchTemplateData({
    spec,
    family: nodeClass.amiFamily,
    imageID,
    securityGroupIDs: securityGroups.map(({ id }) => id),
    instanceProfile,
    userData,
    capacityType: intent.capacityType,
    tenancy: intent.tenancy,
    reservation,
    ownerTags: ownerTags(owner),
    rootVolumeGiB: volume,
    isIPv6,
    efaCards,
    partition: partitionOf(intent),
  });
}

/** That of the label that the nodes are to have. */
function partitionOf({ labels }: LaunchIntent): number | undefined {
  const text = labels.get(PLACEMENT_GROUP_PARTITION);
  return text === undefined ? undefined : Number(text);
}

interface TemplateParts extends Pick<OfferingParts, 'reservation' | 'rootVolumeGiB' | 'efaCards'> {
  readonly imageID: string;
  readonly userData: string;
}

function invalid({ nodeClass }: LaunchIntent, message: string): PortError {
  return new PortError('Invalid', {
    operation: `launch from ${nodeClass.kind} ${nodeClass.name}`,
    message,
  });
}
