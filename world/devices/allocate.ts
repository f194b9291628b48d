/** How kube-scheduler's DynamicResources chooses devices of a node for claims: the first that do, with no regard for later pods. */
import { evaluateCel } from '../kubernetes/cel/evaluate-cel.js';
import type {
  ClaimAllocation,
  ClaimConstraint,
  DeviceAsk,
  DeviceClass,
  DeviceResult,
  PublishedDevice,
  ResourceClaim,
  ResourceSlice,
} from './objects.js';

export interface DeviceFacts {
  readonly slices: readonly ResourceSlice[];
  readonly classOf: (name: string) => DeviceClass | undefined;
  /** Devices in use, as `idOf` names them. */
  readonly inUse: ReadonlySet<string>;
}

interface Candidate {
  readonly result: Omit<DeviceResult, 'request'>;
  readonly device: PublishedDevice;
}

export function idOf({ driver, pool, device }: Omit<DeviceResult, 'request'>): string {
  return `${driver}/${pool}/${device}`;
}

/** An allocation for each of the claims, in their order; undefined where the node cannot satisfy all of them. */
export function allocateOn(
  nodeName: string,
  claims: readonly ResourceClaim[],
  facts: DeviceFacts,
): readonly ClaimAllocation[] | undefined {
  const taken = new Set(facts.inUse);
  const devices = candidatesOn(nodeName, facts.slices);
  const allocations: ClaimAllocation[] = [];
  for (const claim of claims) {
    const results = satisfy(claim, devices, facts, taken);
    if (results === undefined) return undefined;
    for (const result of results) taken.add(idOf(result));
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }];
    allocations.push({ devices: { results }, nodeSelector: { nodeSelectorTerms: [{ matchFields }] } });
  }
  return allocations;
}

function candidatesOn(nodeName: string, slices: readonly ResourceSlice[]): readonly Candidate[] {
  return slices
    .filter(({ spec }) => spec.nodeName === nodeName)
    .flatMap(({ spec: { driver, pool, devices = [] } }) =>
      devices.map((device) => ({ result: { driver, pool: pool.name, device: device.name }, device })),
    );
}

/** Depth first over requests, sub-requests and devices. */
function satisfy(
  { spec }: ResourceClaim,
  devices: readonly Candidate[],
  facts: DeviceFacts,
  taken: ReadonlySet<string>,
): readonly DeviceResult[] | undefined {
  const { requests = [], constraints = [] } = spec.devices ?? {};
  const next = (at: number, chosen: readonly Chosen[]): readonly Chosen[] | undefined => {
    const request = requests[at];
    if (request === undefined) return chosen;
    const asks = request.exactly === undefined ? (request.firstAvailable ?? []) : [request.exactly];
    for (const ask of asks) {
      const name = ask.name === undefined ? request.name : `${request.name}/${ask.name}`;
      const fitting = devices.filter((each) => fits(each, ask, facts) && !taken.has(idOf(each.result)));
      const count = ask.allocationMode === 'All' ? Math.max(1, fitting.length) : (ask.count ?? 1);
      const found = choose({ name, of: fitting, constraints }, count, chosen, (more) => next(at + 1, more));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return next(0, [])?.map(({ candidate, name }) => ({ request: name, ...candidate.result }));
}

interface Chosen {
  readonly name: string;
  readonly candidate: Candidate;
}

interface Choice {
  readonly name: string;
  readonly of: readonly Candidate[];
  readonly constraints: readonly ClaimConstraint[];
}

function choose(
  choice: Choice,
  left: number,
  chosen: readonly Chosen[],
  onward: (chosen: readonly Chosen[]) => readonly Chosen[] | undefined,
): readonly Chosen[] | undefined {
  if (left === 0) return onward(chosen);
  for (const [index, candidate] of choice.of.entries()) {
    if (chosen.some((each) => each.candidate === candidate)) continue;
    const more = [...chosen, { name: choice.name, candidate }];
    if (!choice.constraints.every((constraint) => isKept(constraint, more))) continue;
    const found = choose({ ...choice, of: choice.of.slice(index + 1) }, left - 1, more, onward);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isKept({ requests = [], matchAttribute }: ClaimConstraint, chosen: readonly Chosen[]): boolean {
  if (matchAttribute === undefined) return true;
  const values = chosen
    .filter(
      ({ name }) =>
        requests.length === 0 || requests.includes(name) || requests.includes(name.split('/')[0] ?? ''),
    )
    .map(({ candidate: { device, result } }) => {
      const [domain = '', own = ''] = matchAttribute.split('/');
      const { attributes = {} } = device;
      return JSON.stringify(
        attributes[matchAttribute] ?? (domain === result.driver ? attributes[own] : undefined),
      );
    });
  return !values.includes(undefined as unknown as string) && new Set(values).size <= 1;
}

/** @throws CelError of an expression that has no value for the device: the pod is not scheduled then. */
function fits({ device, result: { driver } }: Candidate, ask: DeviceAsk, { classOf }: DeviceFacts): boolean {
  const deviceClass = classOf(ask.deviceClassName);
  if (deviceClass === undefined) return false;
  const attributes: Record<string, Record<string, unknown>> = { [driver]: {} };
  for (const [name, value] of Object.entries(device.attributes ?? {})) {
    const [domain, own] = name.includes('/') ? name.split('/') : [driver, name];
    attributes[domain ?? ''] = { ...attributes[domain ?? ''], [own ?? '']: Object.values(value)[0] };
  }
  const selectors = [...(deviceClass.spec.selectors ?? []), ...(ask.selectors ?? [])];
  return selectors.every(
    ({ cel }) => evaluateCel(cel?.expression ?? 'false', { device: { driver, attributes } }) === true,
  );
}
