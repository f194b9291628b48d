/** Everything that Berth asks of AWS from a node class to the end of its last node, under whatever policies are attached. */
import {
  AddRoleToInstanceProfileCommand,
  CreateRoleCommand,
  IAMClient,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import { InstanceProfiles } from '../../../../../src/clouds/aws/adapter/node-class/instance-profiles.js';
import {
  ClusterSource,
  instanceStatuses,
  sqsInterruptionQueue,
  zonalShifts,
} from '../../../../../src/clouds/aws/adapter/index.js';
import { LaunchTemplates } from '../../../../../src/clouds/aws/adapter/launch/launch-templates.js';
import { LiveCatalogue } from '../../../../../src/clouds/aws/adapter/prices/live-catalogue.js';
import { createMetrics } from '../../../../../src/runtime/metrics/metrics.js';
import { claimTags, launchTags, type LaunchAnswer } from '../../../../../src/ports/cloud.js';
import { settled } from '../../../../support/builders/aws-clients.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { inProcessConfig } from '../../../../support/in-process-aws.js';
import { recordingLogger } from '../../../../support/recording-logger.js';
import { launchIntent, outcomeOf, type SimulatedWorld } from '../simulated-world.js';

export const CLUSTER = { uid: 'cluster-1', name: 'berth-demo' };

const HOUR_MILLIS = 3_600_000;

export interface NodeLife {
  /** Sentences of AWS about permissions that were missing. */
  readonly denied: readonly string[];
  /** Problems of the node class at its first resolution. */
  readonly problems: readonly string[];
  readonly instances: number;
}

export interface NodeLifeOptions extends SimulatedWorld {
  /** Does something with all rights of the account. */
  readonly asOwner: (work: () => Promise<void>) => Promise<void>;
}

/** Lives it. A refusal ends nothing: the next step is tried, as Berth would. */
export async function liveNode(options: NodeLifeOptions): Promise<NodeLife> {
  return new Life(options).run();
}

class Life {
  readonly #world: NodeLifeOptions;
  readonly #said: string[] = [];

  constructor(world: NodeLifeOptions) {
    this.#world = world;
  }

  async run(): Promise<NodeLife> {
    const { aws, clock } = this.#world;
    aws.addPlacementGroup({ id: 'pg-0a1b2c3d', name: 'apart', strategy: 'spread' });
    await this.#readPrices();
    const problems = await this.#resolve();
    const bought = [await this.#launch('on-demand'), await this.#launch('spot')];
    const ids = bought.flatMap((answer) => answer?.instances.map(({ id }) => id) ?? []);
    await clock.advance(20_000);
    for (const id of ids) await this.#step(this.#world.cloud.tagInstances([id], claimTags('general-1')));
    await this.#swapRole();
    // Long enough for every verdict and every known profile to be asked again.
    await clock.advance(HOUR_MILLIS);
    await this.#resolve();
    await this.#interrupt(ids);
    await this.#readStatuses();
    await this.#readZonalShifts();
    for (const id of ids) await this.#step(this.#world.cloud.reboot(id, 'reboot-1'));
    for (const id of ids) await this.#step(this.#world.cloud.terminate([id]));
    await this.#collectUnused();
    const denied = this.#said.filter((text) => text.includes('not authorized'));
    return { denied, problems, instances: ids.length };
  }

  async #readZonalShifts(): Promise<void> {
    const { clients, clock } = this.#world;
    const cluster = new ClusterSource({ clients, clock, cluster: CLUSTER });
    const catalogue = (): { readonly entries: [] } => ({ entries: [] });
    await this.#step(zonalShifts({ clients, cluster, catalogue }).current());
  }

  async #readPrices(): Promise<void> {
    const { clients, clock } = this.#world;
    const { logger, lines } = recordingLogger();
    const live = new LiveCatalogue({ clients, clock, logger, metrics: createMetrics() });
    await settled(clock, live.refresh());
    this.#said.push(...lines.map((line) => JSON.stringify(line, withCauses)));
  }

  async #resolve(): Promise<readonly string[]> {
    const nodeClass = ec2NodeClass({
      metadataOptions: { httpTokens: 'required' },
      capacityReservationSelectorTerms: [{ tags: { team: 'a' } }],
      placementGroupSelector: { name: 'apart' },
    });
    const resolved = await this.#step(this.#world.cloud.resolveNodeClass(nodeClass));
    this.#said.push(...(resolved?.problems ?? []));
    return resolved?.problems ?? [];
  }

  async #launch(capacityType: 'on-demand' | 'spot'): Promise<LaunchAnswer | undefined> {
    const { cloud } = this.#world;
    const intent = launchIntent({ capacityType });
    const request = await this.#step(cloud.prepareLaunch(intent));
    if (request === undefined) return undefined;
    const tags = launchTags(CLUSTER, { nodePool: 'general', group: `group-${capacityType}` });
    const { labels, taints } = intent;
    const answer = await this.#step(cloud.launch({ token: capacityType, request, tags, labels, taints }));
    this.#said.push(...(answer?.failures.map(({ message }) => message) ?? []));
    return answer;
  }

  /** The account's owner puts another role into the profile, so that Berth has to mend it. */
  async #swapRole(): Promise<void> {
    const { aws, asOwner } = this.#world;
    const [body = ''] = aws.log.recent('iam:AddRoleToInstanceProfile').map((each) => each.body);
    const InstanceProfileName = new URLSearchParams(body).get('InstanceProfileName');
    if (InstanceProfileName === null) return;
    const iam = new IAMClient(inProcessConfig(aws.handle));
    const [ours, other] = ['berth-node', 'other'];
    await asOwner(async () => {
      await iam.send(new CreateRoleCommand({ RoleName: other, AssumeRolePolicyDocument: '{}' }));
      // The profile may be empty still.
      const swap = new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName: ours });
      await iam.send(swap).catch(() => undefined);
      await iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName: other }));
    });
    iam.destroy();
  }

  async #interrupt(ids: readonly string[]): Promise<void> {
    const { aws, clients, clock } = this.#world;
    const spot = aws.instances().find(({ id, capacityType }) => capacityType === 'spot' && ids.includes(id));
    if (spot !== undefined) aws.interrupt(spot.id);
    await clock.advance(5000);
    const queue = sqsInterruptionQueue({ clients, queue: 'berth-demo' });
    const received = await this.#step(queue.receive());
    await this.#step(queue.delete((received ?? []).map(({ receipt }) => receipt)));
  }

  async #readStatuses(): Promise<void> {
    const { clients, clock } = this.#world;
    const { logger, lines } = recordingLogger();
    await this.#step(instanceStatuses({ clients, clock, logger }).receive());
    this.#said.push(...lines.map((line) => JSON.stringify(line, withCauses)));
  }

  async #collectUnused(): Promise<void> {
    const { clients, clock } = this.#world;
    const parts = { clients, clock, clusterName: CLUSTER.name };
    const templates = new LaunchTemplates(parts);
    const profiles = new InstanceProfiles(parts);
    await clock.advance(2 * HOUR_MILLIS);
    await this.#step(templates.collect());
    await this.#step(profiles.collect(new AbortController().signal));
  }

  async #step<T>(work: Promise<T>): Promise<T | undefined> {
    const outcome = await outcomeOf(this.#world.clock, work);
    if (!(outcome instanceof Error)) return outcome;
    this.#said.push(outcome.message);
    return undefined;
  }
}

/** Errors in log lines, with what they say. */
function withCauses(_: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
