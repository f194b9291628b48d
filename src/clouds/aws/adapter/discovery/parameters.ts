/** Values of SSM parameters. */
import { GetParametersCommand, type Parameter } from '@aws-sdk/client-ssm';
import type { Clock } from '../../../../ports/clock.js';
import type { AwsClients } from '../client/aws-clients.js';
import { TimedCache } from './timed-cache.js';

/** What GetParameters takes at once. */
const BATCH = 10;
/** As often as Karpenter looks for new images. */
const KNOWN_MILLIS = 60_000;
const MISSING_MILLIS = 30_000;

export class Parameters {
  readonly #clients: AwsClients;
  /** null: there is none. */
  readonly #values: TimedCache<string | null>;

  constructor(clients: AwsClients, clock: Clock) {
    this.#clients = clients;
    this.#values = new TimedCache(clock);
  }

  /** Name or ARN → value, of those that exist. @throws PortError */
  async values(names: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const answers = new Map(names.map((name) => [name, this.#values.get(name)]));
    const unknown = [...answers].flatMap(([name, value]) => (value === undefined ? [name] : []));
    for (let start = 0; start < unknown.length; start += BATCH) {
      const batch = unknown.slice(start, start + BATCH);
      const found = await this.#ask(batch, signal);
      for (const name of batch) {
        const value = found.get(name) ?? null;
        this.#values.set(name, value, value === null ? MISSING_MILLIS : KNOWN_MILLIS);
        answers.set(name, value);
      }
    }
    return new Map([...answers].flatMap(([name, value]) => (value ? [[name, value]] : [])));
  }

  forget(): void {
    this.#values.clear();
  }

  async #ask(names: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const { Parameters: found = [] } = await this.#clients.call(
      'GetParameters',
      (ssm, options) => ssm.send(new GetParametersCommand({ Names: [...names] }), options),
      { signal },
    );
    return new Map(
      found.flatMap((parameter) =>
        names
          .filter((name) => isNamed(parameter, name))
          .map((name): [string, string] => [name, parameter.Value ?? '']),
      ),
    );
  }
}

/** By name, by ARN, or by name with version or label, `name:3`. */
function isNamed({ Name = '', ARN, Selector = '' }: Parameter, asked: string): boolean {
  return asked === Name || asked === ARN || asked === Name + Selector || asked === `${ARN ?? ''}${Selector}`;
}
