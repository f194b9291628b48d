/** Claim templates: a pool with the labels it leaves open decided. */
import type { Labels } from '../../../domain/values/labels.js';
import {
  ARCH,
  HOSTNAME,
  INSTANCE_TENANCY,
  INSTANCE_TYPE,
  isLabelValue,
  NODEPOOL,
  OS,
  REGION,
  WINDOWS_BUILD,
  ZONE,
} from '../../../domain/values/labels.js';
import { allows, intersect, requirement, type Requirement } from '../../../domain/values/requirement.js';
import {
  intersectRequirements,
  NO_REQUIREMENTS,
  requirementsFromLabels,
  requirementsOf,
  type Requirements,
} from '../../../domain/values/requirements.js';
import type { InstanceType } from '../../../domain/nodes/instance-type.js';
import { allowsDedicated } from '../../../domain/nodes/tenancy.js';
import { asksForDedicated } from '../../../domain/pods/dedicated-demand.js';
import { typesOffered, type PoolOffer } from '../../snapshot/cluster-input.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { requirementsKey } from '../../snapshot/spec-key.js';
import { withoutOutclassed } from './outclassed-types.js';
import { PLACEMENT_LABELS, placementRequirements } from './placement-labels.js';
import { typesServed } from './served-types.js';
import type { NodeSelectorTerm } from '../../../domain/pods/affinity.js';
import type { PodSpec } from '../../../domain/pods/pod.js';
import { tooComplex } from '../classes/spec-size.js';

export interface Template {
  readonly index: number;
  /** Index into `Snapshot.pools`. */
  readonly pool: number;
  readonly offer: PoolOffer;
  /** What the pool requires of type, zone and capacity type. */
  readonly requirements: Requirements;
  /** Template labels, the pool's name, and the chosen ones. */
  readonly labels: Labels;
  /** Values chosen for keys that the pool leaves open, the tenancy of dedicated instances among them. */
  readonly chosen: Labels;
  /** What may be launched with these labels: all types of the pool, or those that pods need where that would be too many. */
  readonly types: readonly InstanceType[];
}

/** A pool whose pods ask for more combinations of open values than this is cut off: each is a template of its own. */
const MAX_TEMPLATES_PER_POOL = 1024;
/** Preferences of one pod that are worth a template: the heaviest, which are given up last. */
const MOST_PREFERRED = 4;
/** Up to here all combinations are made, so that pods that ask for different keys can share a node. */
const FEW_TEMPLATES = 64;

/** The templates of all pools that can launch, in the order of the pools; a pool's default choice comes first. */
export function compileTemplates(snapshot: Snapshot): readonly Template[] {
  const templates: Template[] = [];
  snapshot.pools.forEach((offer, pool) => {
    if (offer.instanceTypes === undefined || offer.frozen === true || offer.pool.replicas !== undefined)
      return;
    const requirements = intersectRequirements(
      requirementsOf([...offer.pool.template.requirements, ...placementRequirements(offer, snapshot.specs)]),
      requirementsFromLabels(
        new Map([...offer.pool.template.labels].filter(([key]) => isDecided(key, offer))),
      ),
    );
    const open = [
      ...[...requirements.values()].filter(({ key }) => isOpen(key, offer)),
      ...tenancyChoice(offer, snapshot.specs),
    ];
    const statements = statementsOf(snapshot.specs, new Set(open.map(({ key }) => key)));
    const chosenLabels = choices(open, statements, offer.pool.name);
    const decided = new Map([...requirements].filter(([key]) => !isOpen(key, offer)));
    const typesFor = typesServed(snapshot, offer, {
      requirements: decided,
      open: new Set(open.map(({ key }) => key)),
      templates: chosenLabels.length,
    });
    chosenLabels.forEach((chosen, choice) => {
      const labels = new Map([...offer.pool.template.labels, ...chosen, [NODEPOOL, offer.pool.name]]);
      const types = choice === 0 ? typesOffered(offer, chosen) : typesFor(chosen, labels);
      templates.push({ index: templates.length, pool, offer, requirements, labels, chosen, types });
    });
  });
  return withoutOutclassed(snapshot, templates);
}

/** Nodes are of the usual tenancy, which no label is chosen for, or dedicated, where pods ask for that and the pool allows it. */
function tenancyChoice(
  { pool: { template }, dedicatedTypes }: PoolOffer,
  specs: readonly PodSpec[],
): readonly Requirement[] {
  if (dedicatedTypes === undefined || !allowsDedicated(template) || !specs.some(asksForDedicated)) return [];
  return [{ ...requirement(INSTANCE_TENANCY, 'In', ['dedicated']), absent: true }];
}

/** What the specs say about these labels, each alternative on its own: selector and one term of affinity together. */
function statementsOf(specs: readonly PodSpec[], keys: ReadonlySet<string>): readonly Requirements[] {
  if (keys.size === 0) return [];
  const result = new Map<string, Requirements>();
  for (const spec of specs) {
    const { nodeSelector, nodeAffinity } = spec;
    const namesSome = ({ labels }: NodeSelectorTerm): boolean => [...keys].some((key) => labels.has(key));
    const preferred = nodeAffinity.preferred
      .filter(({ term }) => namesSome(term))
      .sort((left, right) => right.weight - left.weight)
      .slice(0, MOST_PREFERRED);
    const terms = [...(nodeAffinity.required ?? []), ...preferred.map(({ term }) => term)];
    if (!terms.some(namesSome) && ![...keys].some((key) => nodeSelector.has(key))) continue;
    if (tooComplex(spec) !== undefined) continue;
    const selector = requirementsFromLabels(nodeSelector);
    for (const labels of [NO_REQUIREMENTS, ...terms.map((term) => term.labels)]) {
      const statement = intersectRequirements(selector, labels);
      if (statement.size > 0) result.set(requirementsKey(statement), statement);
    }
  }
  return [...result.values()];
}

type Choice = readonly (readonly [key: string, value: string])[];

/** All combinations where they are few; else the defaults, each listed value, and what some pod asks for together. */
function choices(
  open: readonly Requirement[],
  statements: readonly Requirements[],
  fallback: string,
): readonly Labels[] {
  const every = everyChoice(open, statements, fallback);
  if (every !== undefined) return every;
  const found = new Map<string, Choice>();
  const add = (choice: Choice): void => {
    if (found.size < MAX_TEMPLATES_PER_POOL) found.set(JSON.stringify(choice), choice);
  };
  add(choiceOf(open, fallback, new Map()));
  for (const { key, values } of open.filter(({ complement }) => !complement)) {
    for (const value of [...values].sort()) add(choiceOf(open, fallback, new Map([[key, value]])));
  }
  for (const statement of statements)
    for (const wanted of assignments(open, statement)) add(choiceOf(open, fallback, wanted));
  return [...found.values()].map((choice) => new Map(choice));
}

/** All combinations of the values that the pool lists or a pod names; undefined when they are too many. */
function everyChoice(
  open: readonly Requirement[],
  statements: readonly Requirements[],
  fallback: string,
): readonly Labels[] | undefined {
  let result: readonly Labels[] = [new Map()];
  for (const item of open) {
    const named = statements.flatMap((statement) => statement.get(item.key) ?? []);
    const values = new Set([item, ...named].flatMap((stated) => candidateValues(intersect(item, stated))));
    const standard = item.absent ? undefined : defaultValue(item, fallback);
    const tried = [standard, ...[...values].filter((value) => value !== standard).sort()];
    if (result.length * tried.length > FEW_TEMPLATES) return undefined;
    result = tried.flatMap((value) =>
      result.map((chosen) => (value === undefined ? chosen : new Map([...chosen, [item.key, value]]))),
    );
  }
  return result;
}

/** Every way to give the open keys that a statement names a value that both it and the pool allow. */
function assignments(open: readonly Requirement[], statement: Requirements): readonly Labels[] {
  let result: readonly Labels[] = [new Map()];
  for (const item of open) {
    const stated = statement.get(item.key);
    if (stated === undefined) continue;
    const values = candidateValues(intersect(item, stated));
    if (values.length === 0) continue;
    result = result.flatMap((chosen) => values.map((value) => new Map([...chosen, [item.key, value]])));
    result = result.slice(0, MAX_TEMPLATES_PER_POOL);
  }
  return result;
}

/** Values of a requirement that are worth trying and that a label can have (-1 cannot): the listed ones, else its bounds. */
function candidateValues(item: Requirement): readonly string[] {
  const bounds = [item.atLeast, item.atMost].filter(Number.isFinite).map(String);
  return [...(item.complement ? bounds : item.values)]
    .filter((value) => allows(item, value) && isLabelValue(value))
    .sort();
}

/** The wanted values, and for the other open keys the pool's default: nothing where it allows that, else a value. */
function choiceOf(open: readonly Requirement[], fallback: string, wanted: Labels): Choice {
  return open.flatMap((item): Choice => {
    const value = wanted.get(item.key) ?? (item.absent ? undefined : defaultValue(item, fallback));
    return value === undefined ? [] : [[item.key, value]];
  });
}

function defaultValue(item: Requirement, fallback: string): string | undefined {
  return candidateValues(item)[0] ?? (allows(item, fallback) ? fallback : undefined);
}

/** A key is open when neither the template nor any instance type or offering decides it. */
function isOpen(key: string, offer: PoolOffer): boolean {
  if (key === NODEPOOL || offer.pool.template.labels.has(key)) return false;
  return !isDecided(key, offer);
}

/** Keys that an offering, an instance type or the cloud gives a value of its own. */
function isDecided(key: string, { instanceTypes, placementGroup }: PoolOffer): boolean {
  if (placementGroup !== undefined && PLACEMENT_LABELS.has(key)) return false;
  if (DECIDED.has(key) || /^(karpenter\.k8s\.aws|karpenter\.sh|topology\.k8s\.aws)\//.test(key)) return true;
  return (instanceTypes ?? []).some(({ labels }) => labels.has(key));
}

const DECIDED: ReadonlySet<string> = new Set([
  ZONE,
  REGION,
  HOSTNAME,
  ARCH,
  OS,
  INSTANCE_TYPE,
  WINDOWS_BUILD,
]);
