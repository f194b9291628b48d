/** Tags on instances, their reboots and their end. */
import { CreateTagsCommand, RebootInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import type { Labels } from '../../../../domain/values/labels.js';
import type { Clock } from '../../../../ports/clock.js';
import { PortError, type PortErrorCode } from '../../../../ports/port-error.js';
import type { AwsClients } from '../client/aws-clients.js';
import { AwsError } from '../client/aws-error.js';
import { ec2Tags } from '../client/ec2-tags.js';
import { GatheredCalls, type Failures } from './gathered-calls.js';

export interface InstanceChangesOptions {
  readonly clients: Pick<AwsClients, 'call'>;
  readonly clock: Clock;
}

/** EC2 knows an instance within so long after it said that it launched it. */
const UNSEEN_MILLIS = 60_000;
/** How often an instance of a moment ago is looked for; a longer wait is up to the caller. */
const PAUSES_MILLIS = [1000, 2000, 4000];

export class InstanceChanges {
  readonly #options: InstanceChangesOptions;
  /** Many nodes that end at once are one call: EC2 allows few calls a second that change something. */
  readonly #ends = new GatheredCalls('ec2:TerminateInstances', (ids, signal) =>
    eachBatch(ids, (InstanceIds) =>
      this.#options.clients.call(
        'TerminateInstances',
        (client, options) => client.send(new TerminateInstancesCommand({ InstanceIds }), options),
        { signal, subject: subjectOf(InstanceIds), instances: InstanceIds.length },
      ),
    ),
  );
  /** Instance → when it was launched; monotonic. */
  readonly #young = new Map<string, number>();

  constructor(options: InstanceChangesOptions) {
    this.#options = options;
  }

  /** EC2 has launched them now, and may deny it for a while. */
  launched(ids: readonly string[]): void {
    const now = this.#options.clock.monotonic();
    for (const [id, at] of this.#young) if (now - at >= UNSEEN_MILLIS) this.#young.delete(id);
    for (const id of ids) this.#young.set(id, now);
  }

  /** @throws PortError NotFound, naming the instances that EC2 does not know, once all others are tagged. */
  async tag(ids: readonly string[], tags: Labels, signal?: AbortSignal): Promise<void> {
    const Tags = ec2Tags(tags);
    const unknown = await this.#patiently(ids, signal, (some) =>
      eachBatch(some, (Resources) =>
        this.#options.clients.call(
          'CreateTags',
          (client, options) => client.send(new CreateTagsCommand({ Resources, Tags }), options),
          { signal, subject: subjectOf(Resources) },
        ),
      ),
    );
    if (unknown.length > 0) throw notKnown('NotFound', 'ec2:CreateTags', unknown);
  }

  /**
   * Instances that EC2 does not know have ended long ago.
   * @throws PortError Unavailable, when it still does not know one that it launched a moment ago: that one may live.
   */
  async terminate(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    const unknown = await this.#patiently(ids, signal, (some) => this.#ends.ask(some, signal));
    const alive = unknown.filter((id) => this.#isYoung(id));
    if (alive.length > 0) throw notKnown('Unavailable', 'ec2:TerminateInstances', alive);
  }

  /** EC2 has no client token for it: asked twice, it reboots twice. @throws PortError NotFound, when EC2 does not know it. */
  async reboot(id: string, signal?: AbortSignal): Promise<void> {
    const input = { InstanceIds: [id] };
    await this.#options.clients.call(
      'RebootInstances',
      (client, options) => client.send(new RebootInstancesCommand(input), options),
      { signal, subject: id },
    );
  }

  /**
   * Answers the ids that EC2 does not know, after having waited for those that it should.
   * @throws what the call failed with for another reason, for the first of the ids.
   */
  async #patiently(
    ids: readonly string[],
    signal: AbortSignal | undefined,
    call: (ids: readonly string[]) => Promise<Failures>,
  ): Promise<readonly string[]> {
    let unknown = unknownOf(await call(ids));
    for (const millis of PAUSES_MILLIS) {
      const young = unknown.filter((id) => this.#isYoung(id));
      if (young.length === 0) break;
      await this.#options.clock.sleep(millis, signal);
      const still = new Set(unknownOf(await call(young)));
      unknown = unknown.filter((id) => !young.includes(id) || still.has(id));
    }
    return unknown;
  }

  #isYoung(id: string): boolean {
    const at = this.#young.get(id);
    return at !== undefined && this.#options.clock.monotonic() - at < UNSEEN_MILLIS;
  }
}

function notKnown(code: PortErrorCode, operation: string, ids: readonly string[]): PortError {
  return new PortError(code, { operation, message: `EC2 does not know ${ids.join(', ')}` });
}

function subjectOf(ids: readonly string[]): string {
  const [first = ''] = ids;
  return ids.length === 1 ? first : `${first} and ${String(ids.length - 1)} more`;
}

/** EC2 takes 1,000; less, so that one call does not use up a limit that counts instances. */
const BATCH = 500;

/**
 * Calls for all ids; answers for which it failed. Where it fails for good, its halves are tried, down to the one: an instance that
 * is unknown, protected or not allowed keeps no other alive.
 */
async function eachBatch(
  ids: readonly string[],
  call: (ids: string[]) => Promise<unknown>,
): Promise<Failures> {
  const failures = new Map<string, unknown>();
  const waiting = batches([...new Set(ids)], BATCH);
  for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
    const error = await errorOf(call([...batch]));
    if (error === undefined) continue;
    const isForGood = !error.retryable && error.code !== 'Cancelled';
    if (batch.length > 1 && isForGood) waiting.unshift(...batches(batch, Math.ceil(batch.length / 2)));
    else for (const id of batch) failures.set(id, error);
  }
  return failures;
}

/** @throws what is no failure of a call. */
async function errorOf(call: Promise<unknown>): Promise<PortError | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof PortError) return error;
    throw error;
  }
}

/** The ids that EC2 does not know. @throws whatever else failed. */
function unknownOf(failures: Failures): readonly string[] {
  for (const error of failures.values()) if (!isAboutAnId(error)) throw error;
  return [...failures.keys()];
}

function isAboutAnId(error: unknown): boolean {
  return error instanceof AwsError && /^InvalidInstanceID\.(?:NotFound|Malformed)$/.test(error.awsCode);
}

function batches(ids: readonly string[], size: number): (readonly string[])[] {
  const result: (readonly string[])[] = [];
  for (let index = 0; index < ids.length; index += size) result.push(ids.slice(index, index + size));
  return result;
}
