/** Instances of EC2: the Cloud port over AWS' APIs. */
import { CreateFleetCommand } from '@aws-sdk/client-ec2';
import type { Catalogue } from '../catalogue/index.js';
import type { Labels } from '../../../domain/values/labels.js';
import type { LaunchRequest } from '../../../domain/nodes/node-claim.js';
import type { RepairPolicy } from '../../../domain/policies/repair-policy.js';
import type { NodeClass } from '../../../domain/policies/node-class.js';
import type { Clock } from '../../../ports/clock.js';
import { EC2_NODE_CLASS, isEC2NodeClass, type EC2NodeClass } from '../api/ec2-node-class.js';
import {
  LAUNCH_GROUP_TAG,
  type ClusterIdentity,
  type Cloud,
  type LaunchAnswer,
  type LaunchCall,
  type LaunchIntent,
  type CloudInstance,
  type NodeClassRefusal,
  type ResolvedNodeClass,
} from '../../../ports/cloud.js';
import type { Logger } from '../../../ports/logger.js';
import { hasCode, PortError } from '../../../ports/port-error.js';
import { periodic } from '../../../runtime/concurrency/periodic.js';
import type { AwsClients } from './client/aws-clients.js';
import { AwsDiscovery } from './discovery/aws-discovery.js';
import type { AllowLists } from './node-class/allow-lists.js';
import { caFingerprint } from './node-class/ca-fingerprint.js';
import { capacityReservations, type SelectedReservations } from './node-class/capacity-reservations.js';
import { ClusterSource, type ClusterOptions } from './node-class/cluster-source.js';
import { expressionRefusal } from './node-class/expression-refusal.js';
import { isTemplateGone, launchAnswer } from './launch/fleet-answer.js';
import { fleetRequest } from './launch/fleet-request.js';
import { InstanceProfiles } from './node-class/instance-profiles.js';
import { planLaunch } from './launch/launch-plan.js';
import { LaunchTemplates } from './launch/launch-templates.js';
import {
  viewNodeClass,
  type NodeClassView,
  type NodeClassViewsOptions,
} from './node-class/node-class-view.js';
import { NO_OBJECTS, statusObjects } from './node-class/status-objects.js';
import { SubnetChoice } from './node-class/subnet-choice.js';
import { InstanceChanges } from './instances/change-instances.js';
import { instancesOfIDs, listInstances } from './instances/list-instances.js';
import { PermissionCheck, type PermissionQuestion } from './permissions/permission-check.js';
import { permissionIntents } from './permissions/permission-intents.js';
import { repairPolicies } from './repair-policies.js';

export interface AwsCloudOptions {
  readonly clients: AwsClients;
  /** What EC2 sells, as it is at the moment. */
  readonly catalogue: () => Catalogue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cluster: ClusterOptions;
  /** The UID of the kube-system namespace, for tags. @throws PortError Unavailable, while it is not known. */
  readonly clusterUID: () => string;
  /** Hears which images a node class of a name is launched with. */
  readonly onImages?: ((nodeClass: string, imageIDs: readonly string[]) => void) | undefined;
  /** Whether settings of the kubelet may be CEL expressions; false by default. */
  readonly takesExpressions?: boolean | undefined;
  /** What node classes may name; everything, where it says nothing. */
  readonly allow?: AllowLists | undefined;
  /** Whether missing permissions are looked for before they are needed; true by default. */
  readonly checksPermissions?: boolean | undefined;
  /** Whether repair reboots nodes for errors that a reboot may cure; false by default. */
  readonly rebootsForRepair?: boolean | undefined;
  /** Whether this process launches nothing: then it makes no instance profiles; false by default. */
  readonly onlyReads?: boolean | undefined;
}

interface RefusableView extends NodeClassView {
  readonly refusal: NodeClassRefusal | undefined;
}

const HOUR_MILLIS = 3_600_000;

export class AwsCloud implements Cloud {
  readonly repairPolicies: readonly RepairPolicy[];
  readonly #options: AwsCloudOptions;
  readonly #views: NodeClassViewsOptions;
  readonly #templates: LaunchTemplates;
  readonly #profiles: InstanceProfiles;
  readonly #subnets: SubnetChoice;
  readonly #permissions: PermissionCheck;
  readonly #changes: InstanceChanges;

  constructor(options: AwsCloudOptions) {
    const { clients, clock, cluster, clusterUID, onlyReads, allow = {} } = options;
    const source = new ClusterSource({ clients, clock, cluster });
    const kubernetesVersion = (signal?: AbortSignal): Promise<string> => source.version(signal);
    this.#options = options;
    this.repairPolicies = repairPolicies(options.rebootsForRepair === true);
    this.#profiles = new InstanceProfiles({ clients, clock, clusterName: cluster.name, onlyReads });
    this.#views = {
      discovery: new AwsDiscovery({ clients, clock, kubernetesVersion, clusterUID }),
      profiles: this.#profiles,
      cluster: source,
      allow,
    };
    this.#templates = new LaunchTemplates({ clients, clock, clusterName: cluster.name });
    this.#subnets = new SubnetChoice(clock);
    this.#permissions = new PermissionCheck({ clients, clock, templates: this.#templates });
    this.#changes = new InstanceChanges({ clients, clock });
  }

  /** Cleans up until the signal is aborted: deletes unused launch templates and instance profiles. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    const hourly = (name: string, task: (own: AbortSignal) => Promise<void>): Promise<void> =>
      periodic({ everyMillis: HOUR_MILLIS, clock, signal, logger, name, task });
    await Promise.all([
      hourly('delete unused launch templates', (own) => this.#templates.collect(own)),
      hourly('delete unused instance profiles', (own) => this.#profiles.collect(own)),
    ]);
  }

  async resolveNodeClass(nodeClass: NodeClass, signal?: AbortSignal): Promise<ResolvedNodeClass> {
    try {
      const own = ec2NodeClass(nodeClass);
      const view = await this.#view(own, signal);
      const problems = view.problems.length > 0 ? view.problems : await this.#missing(own, view, signal);
      const { active: reservations, ids: reservationIDs } = await this.#reservations(view, signal);
      return {
        zones: [...new Set(view.subnets.map(({ zone }) => zone))].sort(),
        freeAddresses: this.#subnets.freeAddresses(view.subnets),
        subnetIDs: view.subnets.map(({ id }) => id),
        securityGroupIDs: view.securityGroups.map(({ id }) => id),
        imageIDs: view.images.map(({ id }) => id),
        architectures: [...new Set(view.images.map(({ arch }) => arch))].sort(),
        objects: statusObjects(view, reservations),
        ...(reservations.length > 0 && { reservations }),
        refusal: view.refusal,
        ...(view.placementGroup && { placementGroup: view.placementGroup }),
        reservationIDs,
        certificateAuthority: caFingerprint(view.cluster),
        problems,
      };
    } catch (error) {
      if (!hasCode(error, 'Invalid')) throw error;
      const none = { zones: [], subnetIDs: [], securityGroupIDs: [], imageIDs: [], objects: NO_OBJECTS };
      return { ...none, problems: [error.message] };
    }
  }

  async prepareLaunch(intent: LaunchIntent, signal?: AbortSignal): Promise<LaunchRequest> {
    const nodeClass = ec2NodeClass(intent.nodeClass);
    const view = await this.#view(nodeClass, signal);
    if (view.problems.length > 0) throw notLaunchable(nodeClass, view.problems.join('; '));
    const isReserved = intent.capacityType === 'reserved';
    const reservations = isReserved ? (await this.#reservations(view, signal)).active : [];
    const subnets = this.#subnets.choose(view.subnets);
    const catalogue = this.#options.catalogue();
    const owner = this.#identity();
    return planLaunch(
      { intent, nodeClass, view, owner, catalogue, subnets, reservations },
      this.#templates,
      signal,
    );
  }

  async launch(call: LaunchCall, signal?: AbortSignal): Promise<LaunchAnswer> {
    const { clients, clock } = this.#options;
    const input = fleetRequest(call);
    try {
      const answer = await clients.call(
        'CreateFleet',
        (client, options) => client.send(new CreateFleetCommand(input), options),
        { signal, clientToken: call.token, subject: call.tags.get(LAUNCH_GROUP_TAG) },
      );
      const result = launchAnswer(call, answer, clock.now());
      this.#count(call, result);
      return result;
    } catch (error) {
      // Another client deleted the template: the next attempt creates it again.
      if (hasCode(error, 'NotFound', 'Invalid')) this.#templates.doubt();
      throw error;
    }
  }

  instances(tags: Labels, signal?: AbortSignal, ids?: readonly string[]): Promise<readonly CloudInstance[]> {
    const { clients } = this.#options;
    return ids === undefined
      ? listInstances(clients, tags, signal)
      : instancesOfIDs(clients, { ids, tags }, signal);
  }

  tagInstances(ids: readonly string[], tags: Labels, signal?: AbortSignal): Promise<void> {
    return this.#changes.tag(ids, tags, signal);
  }

  terminate(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    return this.#changes.terminate(ids, signal);
  }

  reboot(id: string, _operation: string, signal?: AbortSignal): Promise<void> {
    return this.#changes.reboot(id, signal);
  }

  /** With why expressions of the class stand in the way, which is the first of its problems. */
  async #view(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<RefusableView> {
    const view = await viewNodeClass(this.#views, nodeClass, signal);
    this.#options.onImages?.(
      nodeClass.name,
      view.images.map(({ id }) => id),
    );
    const refusal = this.#refusal(nodeClass);
    const problems = refusal === undefined ? view.problems : [refusal.message, ...view.problems];
    return { ...view, refusal, problems };
  }

  #refusal(nodeClass: EC2NodeClass): NodeClassRefusal | undefined {
    const { takesExpressions = false, catalogue } = this.#options;
    return expressionRefusal(nodeClass, takesExpressions, () => catalogue().expressionProblems(nodeClass));
  }

  #reservations({ spec }: NodeClassView, signal?: AbortSignal): Promise<SelectedReservations> {
    return capacityReservations(this.#options, spec.capacityReservationSelectorTerms ?? [], signal);
  }

  async #missing(
    nodeClass: EC2NodeClass,
    view: NodeClassView,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    const catalogue = this.#options.catalogue();
    if (this.#options.checksPermissions === false) return [];
    const intents = permissionIntents(nodeClass, view, catalogue);
    const { spec, images, subnets, securityGroups, instanceProfile } = view;
    const byZone = this.#subnets.choose(subnets);
    const owner = this.#identity();
    const key = {
      ...{ spec, instanceProfile, owner, offerings: intents.map(({ offerings }) => offerings) },
      ids: [images, subnets, securityGroups].map((list) => list.map(({ id }) => id)),
    };
    const parts = { nodeClass, view, owner, catalogue, subnets: byZone, reservations: [] };
    const prepare: PermissionQuestion['prepare'] = (intent, templates, own) =>
      planLaunch({ intent, ...parts }, templates, own);
    return this.#permissions.problems({ intents, cluster: owner, key, prepare }, signal);
  }

  #identity(): ClusterIdentity {
    const { cluster, clusterUID } = this.#options;
    return { uid: clusterUID(), name: cluster.name };
  }

  /** A repeated call counts twice; that is forgotten as soon as EC2 tells more. */
  #count({ request }: LaunchCall, { instances, failures }: LaunchAnswer): void {
    this.#changes.launched(instances.map(({ id }) => id));
    const subnetIn = (zone: string): string =>
      request.overrides.find((override) => override.zone === zone)?.subnetID ?? '';
    for (const { zone } of instances) this.#subnets.took(subnetIn(zone), 1);
    // Whatever EC2 said before of its free addresses.
    if (failures.some(({ code }) => isTemplateGone(code))) this.#templates.doubt();
    for (const { zone, code } of failures)
      if (code === 'InsufficientFreeAddressesInSubnet') this.#subnets.took(subnetIn(zone), Infinity);
  }
}

/** @throws PortError Invalid, when it is another cloud's. */
function ec2NodeClass(nodeClass: NodeClass): EC2NodeClass {
  if (isEC2NodeClass(nodeClass)) return nodeClass;
  throw notLaunchable(nodeClass, `--cloud aws launches from ${EC2_NODE_CLASS}es only`);
}

function notLaunchable({ kind, name }: NodeClass, message: string): PortError {
  return new PortError('Invalid', { operation: `launch from ${kind} ${name}`, message });
}
