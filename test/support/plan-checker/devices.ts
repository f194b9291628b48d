/** Whether the devices of a node, in every form it may take, are enough for the claims of its pods: a search of its own. */
import type { DeviceAlternative, DeviceClaimSpec } from '../../../src/domain/devices/claim.js';
import type { ResourceClaimUse } from '../../../src/domain/pods/resource-claim-use.js';
import { deviceID, NO_DEVICES, type Device, type DevicePool } from '../../../src/domain/devices/device.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { evaluateCel } from '../../../world/kubernetes/cel/evaluate-cel.js';
import type { Resident, Target } from './final-state.js';
import type { Landing } from './landing.js';

/** More choices than these are not judged. */
const MOST_CHOICES = 100_000;

/** A claim that devices are sought for. */
interface Sought {
  readonly spec: DeviceClaimSpec;
}

interface Chosen {
  readonly claim: Sought;
  /** `request`, and `request/sub-request`. */
  readonly names: readonly string[];
  readonly pool: DevicePool;
  readonly device: Device;
  readonly asked: DeviceAlternative;
}

export class Devices {
  readonly #input: ClusterInput;

  constructor(input: ClusterInput) {
    this.#input = input;
  }

  /** What is wrong with placing pods with claims there; undefined when nothing is. */
  problem(target: Target, landing: Landing): string | undefined {
    const residents = target.residents.filter(({ pod }) => pod.spec.resourceClaims.length > 0);
    if (!residents.some(({ placed }) => placed)) return undefined;
    if (this.#input.devices === undefined) return 'has resourceClaims and is placed';
    const sought = new Map<string, Sought>();
    for (const resident of residents) {
      const missing = this.#enter(resident, sought);
      if (missing !== undefined) return missing;
    }
    const { pools, taken, consumed } =
      (landing.launch === undefined ? target.node : landing.launch.type)?.devices ?? NO_DEVICES;
    const search = new Choosing(this.#input, pools, (id) => taken.has(id) || consumed.has(id));
    return search.canChoose([...sought.values()])
      ? undefined
      : 'there are not the devices that its pods claim';
  }

  /** Its claims that have no devices yet, those that pods share once; or which of them does not exist. */
  #enter({ key, pod, placed }: Resident, sought: Map<string, Sought>): string | undefined {
    for (const use of pod.spec.resourceClaims) {
      if (!placed && use.isAllocated === true) continue;
      const spec = this.#specOf(use);
      if (spec === undefined) return `its claim ${use.name} does not exist`;
      const name = use.template === undefined ? `claim ${use.claim ?? ''}` : `${key} ${use.name}`;
      if (spec !== 'allocated') sought.set(name, { spec });
    }
    return undefined;
  }

  #specOf({ claim, template }: ResourceClaimUse): DeviceClaimSpec | 'allocated' | undefined {
    const known = this.#input.devices?.claims.find(({ name }) => name === claim);
    if (template === undefined && known?.allocation !== undefined) return 'allocated';
    return known?.spec ?? this.#input.devices?.templates.find(({ name }) => name === template)?.spec;
  }
}

class Choosing {
  readonly #input: ClusterInput;
  readonly #pools: readonly DevicePool[];
  readonly #isUsed: (id: string) => boolean;
  #choices = 0;

  constructor(input: ClusterInput, pools: readonly DevicePool[], isUsed: (id: string) => boolean) {
    this.#input = input;
    this.#pools = pools;
    this.#isUsed = isUsed;
  }

  canChoose(claims: readonly Sought[]): boolean {
    const requests = claims.flatMap((claim) => claim.spec.requests.map((request) => ({ claim, request })));
    const satisfy = (at: number, chosen: readonly Chosen[]): boolean => {
      const next = requests[at];
      if (next === undefined) return true;
      return next.request.alternatives.some((asked) => {
        const names = [next.request.name, `${next.request.name}/${asked.name}`];
        const fitting = this.#fitting(asked);
        const count = asked.mode === 'All' ? Math.max(1, fitting.length) : asked.count;
        const choose = (from: number, left: number, so: readonly Chosen[]): boolean => {
          if (left === 0) return satisfy(at + 1, so);
          for (let index = from; index < fitting.length; index++) {
            const each = fitting[index];
            if (each === undefined) continue;
            if (++this.#choices > MOST_CHOICES) return true;
            const more = [...so, { claim: next.claim, names, ...each, asked }];
            if (this.#isLegal(more) && choose(each.device.shareable ? index : index + 1, left - 1, more))
              return true;
          }
          return false;
        };
        return choose(0, count, chosen);
      });
    };
    return satisfy(0, []);
  }

  #fitting({
    deviceClass,
    selectors,
    tolerations,
  }: DeviceAlternative): readonly Pick<Chosen, 'pool' | 'device'>[] {
    const known = this.#input.devices?.classes.find(({ name }) => name === deviceClass);
    if (known === undefined) return [];
    return this.#pools.flatMap((pool) =>
      pool.devices
        .filter((device) =>
          [...known.selectors, ...selectors].every((text) => isSelected(text, pool, device)),
        )
        .filter(({ taints }) => taints.length === 0 || tolerations.length > 0)
        .map((device) => ({ pool, device })),
    );
  }

  /** The device chosen last beside all before it: in use by nobody, within counters and capacity, by the claim's constraints. */
  #isLegal(chosen: readonly Chosen[]): boolean {
    const last = chosen.at(-1);
    if (last === undefined || !areConstraintsKept(last.claim, chosen)) return false;
    if (last.asked.adminAccess) return true;
    const taking = chosen.filter(({ asked }) => !asked.adminAccess);
    const same = taking.filter(({ device }) => device === last.device);
    if (this.#isUsed(deviceID(last.pool, last.device.name))) return false;
    if (last.device.shareable ? !isWithinCapacity(last, same) : same.length > 1) return false;
    return last.device.consumes.every(({ counterSet, counters }) =>
      [...counters.keys()].every((counter) => {
        const sum = taking
          .filter(({ pool }) => pool === last.pool)
          .flatMap(({ device }) => device.consumes)
          .filter((use) => use.counterSet === counterSet)
          .reduce((total, use) => total + (use.counters.get(counter) ?? 0n), 0n);
        return sum <= (last.pool.counters.get(counterSet)?.get(counter) ?? 0n);
      }),
    );
  }
}

function isWithinCapacity({ device, pool }: Chosen, shares: readonly Chosen[]): boolean {
  return [...device.capacity].every(([name, { value, policy }]) => {
    const sum = shares.reduce((total, { asked }) => {
      const own = asked.capacity.get(name) ?? asked.capacity.get(name.replace(`${pool.driver}/`, ''));
      return total + (own ?? policy?.default ?? value);
    }, 0n);
    return sum <= value;
  });
}

function areConstraintsKept(claim: Sought, chosen: readonly Chosen[]): boolean {
  return claim.spec.constraints.every(({ kind, attribute, requests }) => {
    const values = chosen
      .filter((each) => each.claim === claim)
      .filter(({ names }) => requests.length === 0 || requests.some((name) => names.includes(name)))
      .map(({ device }) => device.attributes.get(attribute)?.value);
    if (values.includes(undefined)) return false;
    return kind === 'match' ? new Set(values).size <= 1 : new Set(values).size === values.length;
  });
}

/** What cannot be evaluated selects nothing. */
function isSelected(expression: string, { driver }: DevicePool, device: Device): boolean {
  const attributes: Record<string, Record<string, unknown>> = { [driver]: {} };
  for (const [name, { value }] of device.attributes) {
    const [domain = '', own = ''] = name.split('/');
    attributes[domain] = { ...attributes[domain], [own]: value };
  }
  try {
    return evaluateCel(expression, { device: { driver, attributes } }) === true;
  } catch {
    return false;
  }
}
