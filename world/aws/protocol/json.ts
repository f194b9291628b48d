/** Requests of the JSON protocols, checked strictly: any client may have sent them. */
import { ServiceError } from '../model/service-error.js';

export class JsonInput {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  /** @throws ServiceError SerializationException, when the text is not a JSON object; an empty one is an empty object. */
  static parse(text: string): JsonInput {
    if (text.trim() === '') return new JsonInput({});
    try {
      const value: unknown = JSON.parse(text);
      if (isObject(value)) return new JsonInput(value);
    } catch {
      // Answered below, as what is JSON but no object.
    }
    throw new ServiceError('SerializationException', 'The request body is not a JSON object');
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  text(name: string): string | undefined {
    const value = this.#value(name);
    if (value === undefined || typeof value === 'string') return value;
    throw wrongType(name, 'a string');
  }

  required(name: string): string {
    const value = this.text(name);
    if (value !== undefined && value !== '') return value;
    throw new ServiceError('MissingParameter', `The request must contain the parameter ${name}.`);
  }

  integer(name: string): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw wrongType(name, 'an integer');
  }

  boolean(name: string): boolean {
    const value = this.#value(name) ?? false;
    if (typeof value === 'boolean') return value;
    throw wrongType(name, 'true or false');
  }

  texts(name: string): readonly string[] {
    return this.#list(name).map((value) => {
      if (typeof value === 'string') return value;
      throw wrongType(name, 'a list of strings');
    });
  }

  objects(name: string): readonly JsonInput[] {
    return this.#list(name).map((value) => {
      if (isObject(value)) return new JsonInput(value);
      throw wrongType(name, 'a list of objects');
    });
  }

  /** Name and value of every string member of the object under the name. */
  textMap(name: string): ReadonlyMap<string, string> {
    const value = this.#value(name) ?? {};
    if (!isObject(value)) throw wrongType(name, 'an object');
    return new Map(
      Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
    );
  }

  #value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined;
  }

  #list(name: string): readonly unknown[] {
    const value = this.#value(name) ?? [];
    if (Array.isArray(value)) return value;
    throw wrongType(name, 'a list');
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrongType(name: string, expected: string): ServiceError {
  return new ServiceError('SerializationException', `${name} must be ${expected}`);
}
