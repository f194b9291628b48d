/**
 * Whether Berth may do what it will have to do. The launch is prepared as any other, and then asked of EC2 with DryRun, which
 * judges it and does nothing: policies with conditions on tags, metadata options or disks see what they will see.
 */
import {
  CreateFleetCommand,
  CreateTagsCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
  type CreateFleetCommandInput,
  type RequestLaunchTemplateData,
  type RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import type { LaunchRequest } from '../../../../domain/nodes/node-claim.js';
import type { Clock } from '../../../../ports/clock.js';
import {
  claimTags,
  CLUSTER_TAG,
  launchTags,
  type ClusterIdentity,
  type LaunchIntent,
} from '../../../../ports/cloud.js';
import { hasCode } from '../../../../ports/port-error.js';
import type { AwsClients } from '../client/aws-clients.js';
import { ec2Tags } from '../client/ec2-tags.js';
import { fleetRequest } from '../launch/fleet-request.js';
import type { LaunchTemplates } from '../launch/launch-templates.js';
import { stableHash } from '../client/stable-hash.js';
import { anyLiveInstance } from '../instances/list-instances.js';

type Templates = Pick<LaunchTemplates, 'ensure'>;

export interface PermissionQuestion {
  /**
   * Launches, of which it is enough that one is allowed: which instance types an organization denies says nothing of those that NodePools
   * ask for. None: nothing is judged.
   */
  readonly intents: readonly LaunchIntent[];
  readonly cluster: ClusterIdentity;
  /** Equal for equal launches, so that they are judged once. */
  readonly key: unknown;
  /** Prepares the launch as it would be asked for, with its launch template. */
  readonly prepare: (
    intent: LaunchIntent,
    templates: Templates,
    signal?: AbortSignal,
  ) => Promise<LaunchRequest>;
}

export interface PermissionCheckOptions {
  readonly clients: Pick<AwsClients, 'call' | 'dryRun'>;
  readonly clock: Clock;
  readonly templates: Templates;
}

const GRANTED_MILLIS = 1_800_000;
/** Who adds the permission wants to see it work. */
const MISSING_MILLIS = 60_000;
const MOST_VERDICTS = 100;

/** In place of the names of a pool, a launch group and a claim. */
const DRY_RUN = 'dry-run';

interface Verdict {
  readonly problems: readonly string[];
  readonly at: number;
}

export class PermissionCheck {
  readonly #options: PermissionCheckOptions;
  readonly #verdicts = new Map<string, Verdict>();

  constructor(options: PermissionCheckOptions) {
    this.#options = options;
  }

  /**
   * A sentence for each permission that is missing, with its name. What fails for another reason is not judged here: the launch
   * itself will report it. @throws PortError Cancelled
   */
  async problems(question: PermissionQuestion, signal?: AbortSignal): Promise<readonly string[]> {
    const { clock } = this.#options;
    const key = stableHash(question.key);
    const known = this.#verdicts.get(key);
    const millis = known?.problems.length === 0 ? GRANTED_MILLIS : MISSING_MILLIS;
    if (known !== undefined && clock.monotonic() - known.at < millis) return known.problems;
    const problems = [...new Set(await this.#judge(question, signal))];
    // One for each node class: what it was before it was changed is of no use.
    for (const other of this.#verdicts.keys())
      if (this.#verdicts.size > MOST_VERDICTS) this.#verdicts.delete(other);
    this.#verdicts.set(key, { problems, at: clock.monotonic() });
    return problems;
  }

  async #judge(question: PermissionQuestion, signal?: AbortSignal): Promise<readonly string[]> {
    const answers = await Promise.all([
      this.#launches(question, signal),
      this.#instance(question, signal).catch(judged),
    ]);
    return answers.flat();
  }

  /** What the launches are denied for, when none is allowed. */
  async #launches(question: PermissionQuestion, signal?: AbortSignal): Promise<readonly string[]> {
    const denials: string[] = [];
    for (const intent of question.intents) {
      const own = await this.#launch(intent, question, signal).catch(judged);
      if (own.length === 0) return [];
      denials.push(...own);
    }
    return denials;
  }

  /** The launch template is made: a policy may look at its tags. It goes with the others that are not used. */
  async #launch(
    intent: LaunchIntent,
    { cluster, prepare }: PermissionQuestion,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    const { clients, templates } = this.#options;
    let data: RequestLaunchTemplateData = {};
    const request = await prepare(
      intent,
      {
        ensure: (wanted, options) => {
          data = wanted;
          return templates.ensure(wanted, options);
        },
      },
      signal,
    );
    const tags = launchTags(cluster, { nodePool: DRY_RUN, group: DRY_RUN });
    const { labels, taints } = intent;
    const fleet = fleetRequest({ token: DRY_RUN, request, tags, labels, taints });
    const about = { signal, subject: intent.nodeClass.name, maxAttempts: 1 };
    const DryRun = true;
    const answers = await Promise.all([
      missing(
        clients.dryRun(
          'RunInstances',
          (client, options) =>
            client.send(new RunInstancesCommand({ DryRun, ...runRequest(fleet, data) }), options),
          about,
        ),
      ),
      missing(
        clients.dryRun(
          'CreateFleet',
          (client, options) => client.send(new CreateFleetCommand({ ...fleet, DryRun }), options),
          about,
        ),
      ),
    ]);
    return answers.flat();
  }

  /** Of an instance that there is not EC2 knows no tags, which a policy may ask for: judged where the cluster has one. */
  async #instance(
    { intents: [intent], cluster }: PermissionQuestion,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    if (intent === undefined) return [];
    const { clients } = this.#options;
    const instance = await anyLiveInstance(clients, new Map([[CLUSTER_TAG, cluster.uid]]), signal);
    if (instance === undefined) return [];
    const about = { signal, subject: intent.nodeClass.name, maxAttempts: 1 };
    const DryRun = true;
    const Tags = ec2Tags(claimTags(DRY_RUN));
    const answers = await Promise.all([
      missing(
        clients.dryRun(
          'CreateTags',
          (client, options) =>
            client.send(new CreateTagsCommand({ DryRun, Resources: [instance.id], Tags }), options),
          about,
        ),
      ),
      missing(
        clients.dryRun(
          'TerminateInstances',
          (client, options) =>
            client.send(new TerminateInstancesCommand({ DryRun, InstanceIds: [instance.id] }), options),
          about,
        ),
      ),
    ]);
    return answers.flat();
  }
}

/** One instance of the fleet, as RunInstances is asked for it: EC2 does the same for CreateFleet, with the caller's permissions. */
function runRequest(
  { LaunchTemplateConfigs, TagSpecifications }: CreateFleetCommandInput,
  { NetworkInterfaces }: RequestLaunchTemplateData,
): RunInstancesCommandInput {
  const [config] = LaunchTemplateConfigs ?? [];
  const [override] = config?.Overrides ?? [];
  const SubnetId = override?.SubnetId;
  return {
    MinCount: 1,
    MaxCount: 1,
    LaunchTemplate: config?.LaunchTemplateSpecification,
    InstanceType: override?.InstanceType,
    // EC2 takes the subnet in one of two places.
    ...(NetworkInterfaces === undefined
      ? { SubnetId }
      : { NetworkInterfaces: NetworkInterfaces.map((each) => ({ ...each, SubnetId })) }),
    TagSpecifications: TagSpecifications?.filter(({ ResourceType }) => ResourceType !== 'fleet'),
  };
}

function judged(error: unknown): readonly string[] {
  if (hasCode(error, 'Cancelled')) throw error;
  return hasCode(error, 'Forbidden') ? [error.message] : [];
}

async function missing(answer: Promise<void>): Promise<readonly string[]> {
  try {
    await answer;
    return [];
  } catch (error) {
    return judged(error);
  }
}
