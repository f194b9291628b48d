/** What is wrong with the plan for one problem: by the plan checker, by binding in many orders, and beside the search. */
import type { Catalogue } from '../../src/clouds/aws/catalogue/index.js';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../src/domain/values/labels.js';
import type { Plan, PlannedClaim } from '../../src/planning/plan.js';
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../src/planning/plan-options.js';
import { plan as planSnapshot } from '../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { checkPlan } from '../support/plan-checker/check-plan.js';
import { Binding, bindGreedily, findOrder, type Host } from './binding.js';
import { Draw } from './draw.js';
import { buildModel, type Model, type ModelPod, type Site } from './model.js';
import { compareScores, prioritiesOf, type Score } from './packing-state.js';
import { search } from './search.js';
import type { Json } from './random-workload.js';
import { readProblem } from './read-problem.js';

/**
 * crash: planning threw. invalid: a rule is broken, or no order of binding exists. order: some order of binding that the
 * extender allows leaves pods without a place. left-out: the search places more pods (limits: where pools have limits).
 * uneven: spread over the domains that could be launched into, as Karpenter counts them, is not kept.
 * repaired: a plan was refuted by the planner's own proof, and another was used. dear: the search's solution costs less by more than 15 %.
 */
export type FindingKind =
  'uneven' | 'repaired' | 'crash' | 'invalid' | 'order' | 'left-out' | 'left-out-limits' | 'dear';

export interface Finding {
  readonly kind: FindingKind;
  readonly detail: string;
}

export interface Verdict {
  readonly findings: readonly Finding[];
  /** USD/h of the plan, preferences ignored, and of the search; undefined where they do not place the same pods. */
  readonly price: { readonly plan: number; readonly search: number } | undefined;
}

/** Above this share of the search's price a plan is called dear. */
const DEAR = 1.15;
const ORDERS = 12;
/** USD/h that are no difference. */
const SAME = 1e-9;

/** @throws Error when a document is refused. */
export function judge(documents: readonly Json[], catalogue: Catalogue): Verdict {
  const input = readProblem(documents, catalogue);
  const model = buildModel(input);
  try {
    return judgePlans(input, model);
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { findings: [{ kind: 'crash', detail }], price: undefined };
  }
}

function judgePlans(input: ClusterInput, model: Model): Verdict {
  const respecting = planSnapshot(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
  const options: PlanOptions = { ...DEFAULT_PLAN_OPTIONS, preferencePolicy: 'Ignore' };
  const ignoring = hasPreferences(input) ? planSnapshot(buildSnapshot(input), options) : respecting;
  const plans = ignoring === respecting ? [respecting] : [respecting, ignoring];
  const { score } = search(model);
  const findings = plans.flatMap((plan) => [
    ...brokenRules(input, plan).filter(({ kind }) => kind !== 'uneven' || !placesMore(model, plan, score)),
    ...failingOrders(model, plan),
  ]);
  const repaired = plans.flatMap(({ repairs = [] }) => repairs);
  if (repaired.length > 0)
    findings.push({
      kind: 'repaired',
      detail: repaired.map(({ rule, detail }) => `${rule}: ${detail}`).join('; '),
    });
  const most = spreadsOverHosts(model) ? search({ ...model, countsNewHosts: false }).score : score;
  for (const plan of plans) findings.push(...leftOut(model, plan, most));
  const mine = scoreOf(model, ignoring);
  const isComparable =
    !model.hasLimitedWeights && mine.leftOut.every((count, index) => count === score.leftOut[index]);
  if (!isComparable) return { findings: distinct(findings), price: undefined };
  if (mine.price > DEAR * score.price + SAME)
    findings.push({ kind: 'dear', detail: `${mine.price.toFixed(4)} USD/h, not ${score.price.toFixed(4)}` });
  return { findings: distinct(findings), price: { plan: mine.price, search: score.price } };
}

function spreadsOverHosts({ pods }: Model): boolean {
  return pods.some(({ spread }) => spread.some(({ hasNewHosts }) => hasNewHosts));
}

function distinct(findings: readonly Finding[]): readonly Finding[] {
  const kinds = new Map(findings.map((finding) => [finding.kind, finding]));
  // What is invalid is uneven too.
  if (kinds.has('invalid')) kinds.delete('uneven');
  return [...kinds.values()];
}

function hasPreferences({ pods, pools }: ClusterInput): boolean {
  const repels = pools.some(({ pool }) =>
    pool.template.taints.some(({ effect }) => effect === 'PreferNoSchedule'),
  );
  return (
    repels ||
    pods.some(
      ({ spec }) =>
        spec.nodeAffinity.preferred.length +
          spec.podAffinity.preferred.length +
          spec.podAntiAffinity.preferred.length >
          0 || spec.spread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway'),
    )
  );
}

function brokenRules(input: ClusterInput, plan: Plan): readonly Finding[] {
  return (['existing', 'launchable'] as const).flatMap((domains) =>
    checkPlan(input, plan, { spread: { domains } })
      .filter(({ level, kind }) => level === 'error' && kind !== 'left-out')
      .map(({ kind, subject, message }): Finding => {
        // kube-scheduler knows no zones without nodes: planning spreads over those that it could launch into.
        const isUneven = domains === 'launchable' && kind === 'spread';
        const detail = `${domains}: ${kind} ${subject}: ${message}`;
        return { kind: isUneven ? 'uneven' : 'invalid', detail };
      }),
  );
}

function scoreOf(model: Model, plan: Plan): Score {
  const left = new Set(plan.unschedulable.map(({ pod }) => pod));
  const leftOut = prioritiesOf(model).map(
    (priority) => model.pods.filter(({ key, spec }) => spec.priority === priority && left.has(key)).length,
  );
  return { leftOut, price: plan.cost.hourly };
}

/** Whether it has a place for pods that have none where spread is over domains that could be launched: these come last. */
function placesMore(model: Model, plan: Plan, { leftOut: others }: Score): boolean {
  return compareScores({ ...scoreOf(model, plan), price: 0 }, { leftOut: others, price: 0 }) < 0;
}

function leftOut(model: Model, plan: Plan, score: Score): readonly Finding[] {
  const mine = scoreOf(model, plan);
  const places = { leftOut: score.leftOut, price: 0 };
  if (compareScores({ ...mine, price: 0 }, places) <= 0) return [];
  const kind = model.hasLimits ? 'left-out-limits' : 'left-out';
  return [{ kind, detail: `${mine.leftOut.join()} by priority, not ${score.leftOut.join()}` }];
}

/** Binds the plan's pods in random orders, on nodes that turn out as any that the claims list. */
function failingOrders(model: Model, plan: Plan): readonly Finding[] {
  const draw = new Draw(model.pods.length);
  for (let trial = 0; trial < ORDERS; trial++) {
    const hosts = hostsOf(model, plan, draw);
    if (hosts === undefined) return [{ kind: 'invalid', detail: 'a claim lists no offering of its pool' }];
    const hostOf = hostOfEach(model, plan, hosts);
    const binding = new Binding(model, hosts, hostOf, 'existing');
    const pods = binding.waiting();
    const order = draw.shuffled(pods);
    if (trial % 3 === 2) order.sort((left, right) => right.spec.priority - left.spec.priority);
    const bound = bindGreedily(binding, order, (pod) => !waits(model, plan, binding, pod));
    if (bound.length === pods.length) continue;
    const stuck = pods.filter(({ index }) => !binding.isBound(index)).map(({ key }) => key);
    const exists = findOrder(new Binding(model, hosts, hostOf, 'existing')) !== undefined;
    const first = bound.map((index) => model.pods[index]?.key ?? '').join(', ');
    const detail = `${stuck.join(', ')} cannot be bound ${exists ? `after ${first}` : 'in any order'}`;
    return [{ kind: exists ? 'order' : 'invalid', detail }];
  }
  return [];
}

/** The extender holds a pod until those are bound that the plan says must be. */
function waits({ pods }: Model, plan: Plan, binding: Binding, { key }: ModelPod): boolean {
  const { after = [] } = plan.placements.find(({ pod }) => pod === key) ?? {};
  return after.some((other) => pods.some((pod) => pod.key === other && !binding.isBound(pod.index)));
}

function hostsOf(model: Model, plan: Plan, draw: Draw): readonly Host[] | undefined {
  const nodes = model.sites.filter(({ node }) => node !== undefined);
  const hosts: Host[] = nodes.map((site) => ({ site, name: site.node ?? '' }));
  for (const claim of plan.claims) {
    const [first, ...more] = sitesOf(model, claim);
    if (first === undefined) return undefined;
    hosts.push({ site: draw.oneOf([first, ...more]), name: `claim ${claim.name}` });
  }
  return hosts;
}

function sitesOf(model: Model, claim: PlannedClaim): readonly Site[] {
  const { pools } = model.input;
  return model.sites.filter(
    ({ node, pool, labels }) =>
      node === undefined &&
      pools[pool]?.pool.name === claim.nodePool &&
      claim.instanceTypes.includes(labels.get(INSTANCE_TYPE) ?? '') &&
      claim.zones.includes(labels.get(ZONE) ?? '') &&
      claim.capacityTypes.some((type) => type === labels.get(CAPACITY_TYPE)) &&
      [...claim.chosenLabels].every(([key, value]) => labels.get(key) === value),
  );
}

function hostOfEach(model: Model, plan: Plan, hosts: readonly Host[]): readonly number[] {
  const names = new Map(hosts.map(({ name }, index) => [name, index]));
  const placed = new Map(
    plan.placements.map(({ pod, target }) => [
      pod,
      names.get(target.kind === 'Node' ? target.name : `claim ${target.name}`) ?? -1,
    ]),
  );
  return model.pods.map(({ key, boundTo }) => (boundTo >= 0 ? boundTo : (placed.get(key) ?? -1)));
}
