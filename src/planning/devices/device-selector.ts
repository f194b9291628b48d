/** Which devices the CEL expressions of DeviceClasses and requests select. */
import { Environment } from '@marcbachmann/cel-js';
import {
  CelExpressions,
  celLimits,
  celNodes,
  celParts,
  celProblem,
  type CelNode,
  type CelProblem,
} from '../../apis/fields/cel-expressions.js';
import type { Device, DeviceAttribute } from '../../domain/devices/device.js';
import { parseQuantity, type Quantity } from '../../domain/values/quantity.js';
import { compareVersions, parseVersion, type Version } from './version.js';

/** Whether a device is selected; or a phrase with the reason why that cannot be known. */
export type Selected = boolean | CelProblem;

interface Selector {
  readonly select: (device: Device, driver: string) => Selected;
}

/** What the API allows of an expression. */
const MOST_CHARACTERS = 10 * 1024;
const MOST_NODES = 500;
const MOST_ARGUMENTS = 3;
/** Repetitions in one regular expression: texts of attributes have 64 characters at most. */
const MOST_REPETITIONS = 3;

const OPERATORS: ReadonlySet<string> = new Set([
  ...['value', 'id', '.', '[]', 'call', 'rcall', 'list', 'in', '?:', '||', '&&', '!_', '-_'],
  ...['==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%'],
]);
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...['bind', 'size', 'startsWith', 'endsWith', 'contains', 'matches', 'lowerAscii', 'upperAscii'],
  ...['int', 'string', 'quantity', 'semver', 'compareTo', 'isGreaterThan', 'isLessThan'],
]);

/** A quantity within an expression. */
class Amount {
  readonly nanos: Quantity;

  constructor(nanos: Quantity) {
    this.nanos = nanos;
  }
}

/** A semantic version within an expression. */
class Semver {
  readonly version: Version;

  constructor(version: Version) {
    this.version = version;
  }
}

const environment = createEnvironment();
const expressions = new CelExpressions<Selector>({
  parse: (text) => environment.parse(text),
  tooLong: (text) =>
    text.length > MOST_CHARACTERS ? `is longer than ${String(MOST_CHARACTERS)} characters` : undefined,
  operators: OPERATORS,
  refusedCall: (name, call) => {
    if (!FUNCTIONS.has(name)) return `must not call ${name}`;
    return name === 'matches' ? refusedPattern(call) : undefined;
  },
  use: (program, type) => {
    if (type !== 'bool' && type !== 'dyn') return { problem: `must be a bool, not ${type}` };
    const domains = [...domainsIn(program.ast)];
    return { select: (device, driver) => evaluate(program, variablesOf(device, driver, domains)) };
  },
});
/** What devices were found to be: those of a type are asked about again and again. */
const answers = new WeakMap<Device, Map<string, Selected>>();

/** Whether the expression selects the device of this driver. */
export function selectsDevice(expression: string, device: Device, driver: string): Selected {
  const ofDevice = answers.get(device) ?? new Map<string, Selected>();
  answers.set(device, ofDevice);
  const known = ofDevice.get(expression);
  if (known !== undefined) return known;
  const compiled = expressions.compile(expression);
  const answer = 'problem' in compiled ? compiled : compiled.select(device, driver);
  ofDevice.set(expression, answer);
  return answer;
}

/** Why the expression cannot be asked of any device; undefined where it can. A phrase that reads on from the expression. */
export function selectorProblem(expression: string): string | undefined {
  const compiled = expressions.compile(expression);
  return 'problem' in compiled ? compiled.problem : undefined;
}

function evaluate(program: (variables: object) => unknown, variables: object): Selected {
  try {
    const result = program(variables);
    return typeof result === 'boolean' ? result : { problem: 'is no bool' };
  } catch (error) {
    return { problem: `cannot be evaluated: ${celProblem(error)}` };
  }
}

/** Quantities and versions are compared by functions, as in Kubernetes. */
function createEnvironment(): Environment {
  const own = new Environment({ limits: celLimits(MOST_NODES, MOST_ARGUMENTS) });
  own.registerVariable('device', 'map<string, dyn>');
  own.registerType('Quantity', { ctor: Amount });
  own.registerType('Semver', { ctor: Semver });
  own.registerFunction('quantity(string): Quantity', (text: string) => new Amount(parseQuantity(text)));
  own.registerFunction('semver(string): Semver', (text: string) => {
    const version = parseVersion(text);
    if (version === undefined) throw new Error(`no semantic version: ${text}`);
    return new Semver(version);
  });
  registerComparisons<Amount>(own, 'Quantity', (left, right) =>
    left.nanos === right.nanos ? 0 : left.nanos < right.nanos ? -1 : 1,
  );
  registerComparisons<Semver>(own, 'Semver', (left, right) => compareVersions(left.version, right.version));
  return own;
}

function registerComparisons<T>(
  own: Environment,
  type: string,
  compare: (left: T, right: T) => number,
): void {
  own.registerFunction(`${type}.compareTo(${type}): int`, (left: T, right: T) =>
    BigInt(compare(left, right)),
  );
  own.registerFunction(
    `${type}.isGreaterThan(${type}): bool`,
    (left: T, right: T) => compare(left, right) > 0,
  );
  own.registerFunction(`${type}.isLessThan(${type}): bool`, (left: T, right: T) => compare(left, right) < 0);
}

/** A regular expression takes no longer than its length allows where few of its characters repeat, and no group does. */
function refusedPattern(node: CelNode): string | undefined {
  const [pattern] = celNodes(celParts(node).slice(2));
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string')
    return 'must not call matches but with a text';
  const text = pattern.args;
  const repetitions = text.replace(/\\./g, '').match(/[*+{]/g)?.length ?? 0;
  if (/\)[*+?{]/.test(text) || /\\\d|\(\?/.test(text) || repetitions > MOST_REPETITIONS)
    return `must not match ${JSON.stringify(text)}: more than ${String(MOST_REPETITIONS)} repetitions, or a group that repeats`;
  try {
    return new RegExp(text).source === '' ? 'must not match an empty pattern' : undefined;
  } catch {
    return `must not match ${JSON.stringify(text)}, which is no regular expression`;
  }
}

/** The domains that it looks attributes and capacities up in: one that a device has nothing of is empty, not missing. */
function domainsIn(node: CelNode, found = new Set<string>()): ReadonlySet<string> {
  const parts = celParts(node);
  const [key] = celNodes(parts.slice(1));
  if (node.op === '[]' && key?.op === 'value' && typeof key.args === 'string') found.add(key.args);
  for (const part of celNodes(parts)) domainsIn(part, found);
  return found;
}

type Values = Map<string, Map<string, unknown>>;

function variablesOf(device: Device, driver: string, domains: readonly string[]): object {
  const empty = (): Values => new Map(domains.map((domain) => [domain, new Map<string, unknown>()]));
  const [attributes, capacity] = [empty(), empty()];
  for (const [name, attribute] of device.attributes) enter(attributes, name, valueOf(attribute));
  for (const [name, { value }] of device.capacity) enter(capacity, name, new Amount(value));
  const { shareable: allowMultipleAllocations } = device;
  return {
    device: new Map<string, unknown>(
      Object.entries({ driver, attributes, capacity, allowMultipleAllocations }),
    ),
  };
}

function enter(values: Values, name: string, value: unknown): void {
  const slash = name.indexOf('/');
  const domain = name.slice(0, slash);
  const known = values.get(domain) ?? new Map<string, unknown>();
  values.set(domain, known.set(name.slice(slash + 1), value));
}

function valueOf(attribute: DeviceAttribute): unknown {
  if (attribute.type === 'int') return BigInt(attribute.value);
  if (attribute.type !== 'version') return attribute.value;
  const version = parseVersion(attribute.value);
  return version === undefined ? attribute.value : new Semver(version);
}
