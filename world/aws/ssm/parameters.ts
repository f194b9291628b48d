/** SSM Parameter Store: what AWS publishes under /aws/service, and the account's own parameters. */
import type { Clock } from '../../../src/ports/clock.js';
import { slice } from '../protocol/paging.js';
import type { JsonInput } from '../protocol/json.js';
import { ServiceError } from '../model/service-error.js';

interface Parameter {
  readonly name: string;
  readonly value: string;
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

const MAX_NAMES = 10;

export class Parameters {
  readonly #clock: Clock;
  readonly #region: string;
  readonly #parameters = new Map<string, Parameter>();

  constructor({ clock, region }: { readonly clock: Clock; readonly region: string }) {
    this.#clock = clock;
    this.#region = region;
  }

  /** Sets a parameter, as AWS or a user of the account would. */
  publish(name: string, value: string, modifiedAt: number): void {
    const version = (this.#parameters.get(name)?.version ?? 0) + 1;
    this.#parameters.set(name, { name, value, version, modifiedAt });
  }

  value(name: string): string | undefined {
    return this.#parameters.get(name)?.value;
  }

  /** @throws ServiceError ParameterNotFound, ValidationException, UnknownOperationException. */
  act(action: string, input: JsonInput): object {
    switch (action) {
      case 'GetParameter':
        return { Parameter: this.#json(this.#find(input.required('Name'))) };
      case 'GetParameters':
        return this.#several(input.texts('Names'));
      case 'GetParametersByPath':
        return this.#byPath(input);
      case 'PutParameter':
        return this.#put(input);
      default:
        throw new ServiceError('UnknownOperationException', `The operation ${action} is not known`);
    }
  }

  #find(name: string): Parameter {
    const parameter = this.#parameters.get(name);
    if (parameter) return parameter;
    throw new ServiceError('ParameterNotFound', `Parameter ${name} not found.`);
  }

  #several(names: readonly string[]): object {
    if (names.length === 0 || names.length > MAX_NAMES)
      throw new ServiceError('ValidationException', 'Member must have length between 1 and 10: names');
    const found = names.flatMap((name) => this.#parameters.get(name) ?? []);
    return {
      Parameters: found.map((parameter) => this.#json(parameter)),
      InvalidParameters: names.filter((name) => !this.#parameters.has(name)),
    };
  }

  #byPath(input: JsonInput): object {
    const path = input.required('Path').replace(/\/?$/, '/');
    const isRecursive = input.boolean('Recursive');
    const found = [...this.#parameters.values()]
      .filter(({ name }) => name.startsWith(path) && (isRecursive || !name.slice(path.length).includes('/')))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
    const size = input.integer('MaxResults') ?? MAX_NAMES;
    if (size < 1 || size > MAX_NAMES)
      throw new ServiceError('ValidationException', 'Member must be between 1 and 10: maxResults');
    const { items, nextToken } = slice(found, size, input.text('NextToken'), 'InvalidNextToken');
    return { Parameters: items.map((parameter) => this.#json(parameter)), NextToken: nextToken };
  }

  #put(input: JsonInput): object {
    const name = input.required('Name');
    if (/^\/?aws/i.test(name))
      throw new ServiceError('AccessDeniedException', `No access to reserved parameter name: ${name}.`);
    if (this.#parameters.has(name) && !input.boolean('Overwrite'))
      throw new ServiceError('ParameterAlreadyExists', 'The parameter already exists.');
    this.publish(name, input.required('Value'), this.#clock.now());
    return { Version: this.#find(name).version, Tier: 'Standard' };
  }

  #json({ name, value, version, modifiedAt }: Parameter): object {
    return {
      Name: name,
      Type: 'String',
      Value: value,
      Version: version,
      LastModifiedDate: modifiedAt / 1000,
      ARN: `arn:aws:ssm:${this.#region}::parameter${name.startsWith('/') ? '' : '/'}${name}`,
      DataType: name.endsWith('/image_id') ? 'aws:ec2:image' : 'text',
    };
  }
}
