/** Launch templates named by their content: equal content is one template, and old ones are deleted. */
import {
  CreateLaunchTemplateCommand,
  DeleteLaunchTemplateCommand,
  DescribeLaunchTemplatesCommand,
  type Filter,
  type LaunchTemplate,
  type RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import type { Labels } from '../../../../domain/values/labels.js';
import type { LaunchOverride } from '../../../../domain/nodes/node-claim.js';
import type { Clock } from '../../../../ports/clock.js';
import { hasCode, PortError } from '../../../../ports/port-error.js';
import { allPages } from '../client/all-pages.js';
import type { AwsClients } from '../client/aws-clients.js';
import { ec2Tags } from '../client/ec2-tags.js';
import { stableHash } from '../client/stable-hash.js';

/** Its value is the cluster's name: templates of other clusters are not touched. */
const OWNER_TAG = 'berth.sh/launch-template';
/** The name is looked up again after this time: another client may have deleted the template. */
const KNOWN_MILLIS = 600_000;
/** One that this process has not used for so long goes. A launch under way is answered or given up long before. */
const UNUSED_MILLIS = 3_600_000;
/** EC2's page. */
const PAGE = 200;

type Template = NonNullable<LaunchOverride['launchTemplate']>;

export interface EnsureOptions {
  /** What the node class wants on the template, beside Berth's own tags; they do not make it another template. */
  readonly tags?: Labels | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface LaunchTemplatesOptions {
  readonly clients: Pick<AwsClients, 'call'>;
  readonly clock: Clock;
  readonly clusterName: string;
}

interface Known {
  readonly template: Template;
  /** Monotonic; undefined: it may be gone. */
  seenAt: number | undefined;
  usedAt: number;
}

export class LaunchTemplates {
  readonly #options: LaunchTemplatesOptions;
  readonly #known = new Map<string, Known>();
  /** Monotonic: what an earlier process used is unknown. */
  readonly #startedAt: number;

  constructor(options: LaunchTemplatesOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
  }

  /** The template with this content; made when it is missing, by this process or at the same moment by another. */
  async ensure(data: RequestLaunchTemplateData, options: EnsureOptions = {}): Promise<Template> {
    const { clock, clusterName } = this.#options;
    const name = `berth-${stableHash([clusterName, data]).slice(0, 32)}`;
    const now = clock.monotonic();
    const known = this.#known.get(name);
    if (known?.seenAt !== undefined && now - known.seenAt < KNOWN_MILLIS) {
      known.usedAt = now;
      return known.template;
    }
    const template = (await this.#find(name, options.signal)) ?? (await this.#create(name, data, options));
    this.#known.set(name, { template, seenAt: now, usedAt: now });
    return template;
  }

  /** A known one was deleted, and which one is unknown: all are looked up again. */
  doubt(): void {
    for (const known of this.#known.values()) known.seenAt = undefined;
  }

  /** Deletes this cluster's templates that were not used for an hour. */
  async collect(signal?: AbortSignal): Promise<void> {
    const { clock, clusterName } = this.#options;
    const oldest = clock.now() - UNUSED_MILLIS;
    const ours = await this.#describe([{ Name: `tag:${OWNER_TAG}`, Values: [clusterName] }], signal);
    for (const { LaunchTemplateName: name = '', CreateTime: created } of ours) {
      const usedAt = this.#known.get(name)?.usedAt ?? this.#startedAt;
      const isIdle = clock.monotonic() - usedAt >= UNUSED_MILLIS;
      if (name === '' || !isIdle || created === undefined || created.getTime() > oldest) continue;
      this.#known.delete(name);
      await this.#delete(name, signal);
    }
  }

  async #find(name: string, signal?: AbortSignal): Promise<Template | undefined> {
    const [found] = await this.#describe([{ Name: 'launch-template-name', Values: [name] }], signal);
    return found && templateOf(found);
  }

  async #create(
    name: string,
    data: RequestLaunchTemplateData,
    { tags, signal }: EnsureOptions,
  ): Promise<Template> {
    try {
      const answer = await this.#options.clients.call(
        'CreateLaunchTemplate',
        (client, options) =>
          client.send(
            new CreateLaunchTemplateCommand({
              LaunchTemplateName: name,
              LaunchTemplateData: data,
              TagSpecifications: [{ ResourceType: 'launch-template', Tags: this.#tags(tags) }],
            }),
            options,
          ),
        { signal, subject: name },
      );
      return templateOf(answer.LaunchTemplate ?? {});
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error;
      // By its exact name: a filter may not show yet what was just created.
      return this.#named(name, signal);
    }
  }

  async #named(name: string, signal?: AbortSignal): Promise<Template> {
    const answer = await this.#options.clients.call(
      'DescribeLaunchTemplates',
      (client, options) =>
        client.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: [name] }), options),
      { signal, subject: name },
    );
    return templateOf(answer.LaunchTemplates?.[0] ?? {});
  }

  async #describe(filters: Filter[], signal?: AbortSignal): Promise<readonly LaunchTemplate[]> {
    const { clients } = this.#options;
    const pages = await allPages({
      operation: 'ec2:DescribeLaunchTemplates',
      fetch: (NextToken) =>
        clients.call(
          'DescribeLaunchTemplates',
          (client, options) =>
            client.send(
              new DescribeLaunchTemplatesCommand({ Filters: filters, MaxResults: PAGE, NextToken }),
              options,
            ),
          { signal },
        ),
      next: (page) => page.NextToken,
    });
    return pages.flatMap(({ LaunchTemplates: found = [] }) => found);
  }

  async #delete(name: string, signal?: AbortSignal): Promise<void> {
    try {
      await this.#options.clients.call(
        'DeleteLaunchTemplate',
        (client, options) =>
          client.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName: name }), options),
        { signal, subject: name },
      );
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
    }
  }

  #tags(tags: Labels | undefined) {
    const { clusterName } = this.#options;
    return ec2Tags(
      tags,
      new Map([
        [OWNER_TAG, clusterName],
        [`kubernetes.io/cluster/${clusterName}`, 'owned'],
      ]),
    );
  }
}

/** Ours have one version each. */
function templateOf(found: LaunchTemplate): Template {
  const { LaunchTemplateId: id, LatestVersionNumber: version = 1 } = found;
  if (id !== undefined) return { id, version: String(version) };
  throw new PortError('Unavailable', {
    operation: 'ec2:DescribeLaunchTemplates',
    message: 'the answer names no launch template',
  });
}
