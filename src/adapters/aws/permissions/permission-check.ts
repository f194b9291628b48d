/** Whether Berth may do what it will have to do: asked of EC2 with DryRun, which does nothing but judge. */
import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  CreateTagsCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
  type RequestLaunchTemplateData,
  type _InstanceType,
} from '@aws-sdk/client-ec2';
import type { Clock } from '../../../ports/clock.js';
import { hasCode } from '../../../ports/port-error.js';
import type { AwsClients } from '../client/index.js';
import { stableHash } from '../launch/stable-hash.js';

export interface PermissionQuestion {
  /** The node class's name. */
  readonly subject: string;
  /** A launch template as it would be made. */
  readonly data: RequestLaunchTemplateData;
  readonly instanceType: string;
  readonly subnetID: string;
}

export interface PermissionCheckOptions {
  readonly clients: Pick<AwsClients, 'dryRun'>;
  readonly clock: Clock;
}

const GRANTED_MILLIS = 1_800_000;
/** Whoever adds the permission wants to see it work. */
const MISSING_MILLIS = 60_000;

/** None that exists: permissions are judged before names are looked up. */
const NO_INSTANCE = 'i-00000000000000000';
const NO_TEMPLATE = 'berth-dry-run';

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
   * itself will say so. @throws PortError Cancelled
   */
  async problems(question: PermissionQuestion, signal?: AbortSignal): Promise<readonly string[]> {
    const { clock } = this.#options;
    const key = stableHash(question);
    const known = this.#verdicts.get(key);
    const millis = known?.problems.length === 0 ? GRANTED_MILLIS : MISSING_MILLIS;
    if (known !== undefined && clock.monotonic() - known.at < millis) return known.problems;
    const answers = await Promise.all(this.#asked(question, signal).map(missing));
    const problems = [...new Set(answers.flat())];
    // One for each node class: what it was before it was changed is of no use.
    for (const other of this.#verdicts.keys()) if (this.#verdicts.size > 100) this.#verdicts.delete(other);
    this.#verdicts.set(key, { problems, at: clock.monotonic() });
    return problems;
  }

  #asked(question: PermissionQuestion, signal?: AbortSignal): readonly Promise<void>[] {
    const { clients } = this.#options;
    const { subject, data, instanceType, subnetID } = question;
    const DryRun = true;
    const about = { signal, subject, maxAttempts: 1 };
    const Tags = [{ Key: 'Name', Value: NO_TEMPLATE }];
    return [
      clients.dryRun(
        'CreateLaunchTemplate',
        (client, options) =>
          client.send(
            new CreateLaunchTemplateCommand({
              DryRun,
              LaunchTemplateName: NO_TEMPLATE,
              LaunchTemplateData: data,
              TagSpecifications: [{ ResourceType: 'launch-template', Tags }],
            }),
            options,
          ),
        about,
      ),
      clients.dryRun(
        'RunInstances',
        (client, options) => client.send(new RunInstancesCommand({ DryRun, ...runInput(question) }), options),
        about,
      ),
      clients.dryRun(
        'CreateFleet',
        (client, options) =>
          client.send(
            new CreateFleetCommand({
              DryRun,
              Type: 'instant',
              LaunchTemplateConfigs: [
                {
                  LaunchTemplateSpecification: { LaunchTemplateName: NO_TEMPLATE, Version: '1' },
                  Overrides: [{ InstanceType: instanceType as _InstanceType, SubnetId: subnetID }],
                },
              ],
              TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
              TagSpecifications: [{ ResourceType: 'instance', Tags }],
            }),
            options,
          ),
        about,
      ),
      clients.dryRun(
        'CreateTags',
        (client, options) =>
          client.send(new CreateTagsCommand({ DryRun, Resources: [NO_INSTANCE], Tags }), options),
        about,
      ),
      clients.dryRun(
        'TerminateInstances',
        (client, options) =>
          client.send(new TerminateInstancesCommand({ DryRun, InstanceIds: [NO_INSTANCE] }), options),
        about,
      ),
    ];
  }
}

/** With the profile, so that a missing iam:PassRole is seen, too. */
function runInput({ data, instanceType, subnetID }: PermissionQuestion) {
  const { ImageId, IamInstanceProfile, SecurityGroupIds, NetworkInterfaces } = data;
  const Groups = SecurityGroupIds ?? NetworkInterfaces?.[0]?.Groups;
  return {
    MinCount: 1,
    MaxCount: 1,
    ImageId,
    InstanceType: instanceType as _InstanceType,
    IamInstanceProfile,
    SubnetId: subnetID,
    SecurityGroupIds: Groups,
  };
}

async function missing(answer: Promise<void>): Promise<readonly string[]> {
  try {
    await answer;
    return [];
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return [error.message];
    if (hasCode(error, 'Cancelled')) throw error;
    return [];
  }
}
