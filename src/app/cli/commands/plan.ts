/** `berth plan`: which instances would be launched for these manifests, what lands where, and what it costs. */
import { counted } from '../../../domain/values/text.js';
import type { Catalogue } from '../../../clouds/aws/catalogue/index.js';
import type { Node } from '../../../domain/nodes/node.js';
import { describeConflict } from '../../../domain/nodes/overlay-conflicts.js';
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../../planning/plan-options.js';
import type { Plan, PlannedClaim } from '../../../planning/plan.js';
import { plan as planSnapshot } from '../../../planning/engine/plan.js';
import { explainPlan } from '../../../planning/engine/explain-plan.js';
import { buildSnapshot } from '../../../planning/snapshot/build-snapshot.js';
import { CATALOGUE_FLAGS, chooseCatalogue } from '../../input/choose-catalogue.js';
import { clusterInput, type Demand, demandOf } from '../../input/cluster-input.js';
import { decidedOverlays } from '../../input/decided-overlays.js';
import { FILENAME_FLAG, manifestTexts, MOST_FILES } from '../../input/manifest-flags.js';
import { furtherZones, namedRegions } from '../../input/named-zones.js';
import { type Manifests, readManifests } from '../../input/read-manifests.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from '../../command/exit-codes.js';
import { type OutputFormat, outputOf, WIDE_OUTPUT_FLAG } from '../../command/output-format.js';
import { jsonText, yamlText } from '../render/document-text.js';
import { planDocument } from '../render/plan/plan-document.js';
import { planTable } from '../render/plan/plan-table.js';
import { terminalOf } from '../render/text/terminal.js';
import { hasErrors, issueCount, writeLeftAside, writePlanIssues } from '../write-issues.js';
import { type InstanceType, type Offering, paidPrice } from '../../../domain/nodes/instance-type.js';
import { allTypesOffered, typesOffered, type PoolOffer } from '../../../planning/snapshot/cluster-input.js';

const DEFAULT_REGION = 'us-east-1';
const PREFERENCES = ['respect', 'ignore'] as const;

export const PLAN: Command = {
  usage: '-f FILE|DIR|- … [--catalog FILE | --region REGION] [--explain] [-o table|wide|json|yaml]',
  maxWords: MOST_FILES,
  flags: [
    FILENAME_FLAG,
    ...CATALOGUE_FLAGS,
    {
      name: 'preferences',
      value: PREFERENCES.join('|'),
      allowed: PREFERENCES,
      help: 'whether preferred affinities and spreads are honored (default: respect)',
    },
    {
      name: 'explain',
      help: 'explain the instance types of each new node, and price the next best NodePool',
    },
    { name: 'duals', help: 'add the dual values that prove the lower bound to -o json|yaml (cost.duals)' },
    WIDE_OUTPUT_FLAG,
  ],
  details: [
    'Reads NodePools, EC2NodeClasses and NodeOverlays, bare or in ConfigMaps labelled berth.sh/policy: "true", and Pods, workloads,\n' +
      'DaemonSets, Nodes and volumes. Exit code 3 when a pod cannot be placed, 2 when a document is refused.',
    'Example: berth plan -f nodepools.yaml -f deployments/ -o json',
  ],
  run,
};

function run(args: Arguments, io: CliIo): number {
  const manifests = readManifests(manifestTexts(args, io));
  writePlanIssues(manifests.issues, io.stderr);
  if (hasErrors(manifests.issues)) {
    io.stderr.write(`${issueCount(manifests.issues)}: fix the errors to get a plan\n`);
    return EXIT_USAGE;
  }
  writeLeftAside(manifests, io.stderr);
  writePodDefaults(manifests, io);
  const catalogue = catalogueOf(args, io, manifests);
  writeConflicts(manifests, catalogue, io);
  writeDeletions(manifests, io);
  const demand = demandOf(manifests.cluster.pods);
  const input = clusterInput(manifests, demand.pods, catalogue);
  const options = planOptions(args);
  const started = io.now();
  const snapshot = buildSnapshot(input);
  const solved = planSnapshot(snapshot, { ...options, explainClaims: false, duals: false });
  const solveMillis = io.now() - started;
  // What was asked for besides takes time of its own, which is not planning's.
  const plan = explainPlan(snapshot, options, solved);
  writeIgnored(demand, io);
  const { nodes } = input;
  const wide = args.value('output') === 'wide';
  const solution = { plan, solveMillis, nodes, wide, listHourly: listHourly(plan, input.pools) };
  io.stdout.write(rendered(solution, outputOf(args), io));
  return plan.unschedulable.length > 0 ? EXIT_FINDINGS : EXIT_OK;
}

function planOptions(args: Arguments): PlanOptions {
  const preferencePolicy = args.value('preferences') === 'ignore' ? 'Ignore' : 'Respect';
  const isSet = (name: string): boolean => args.value(name) === 'true';
  return {
    ...DEFAULT_PLAN_OPTIONS,
    preferencePolicy,
    explainClaims: isSet('explain'),
    duals: isSet('duals'),
  };
}

function catalogueOf(args: Arguments, io: CliIo, { policies, cluster }: Manifests): Catalogue {
  const naming = { ...cluster, pools: policies.nodePools.map(({ pool }) => pool) };
  const [named, ...others] = namedRegions(naming);
  const region = args.value('region') ?? named ?? DEFAULT_REGION;
  if (others.length > 0 && args.value('region') === undefined && args.value('catalog') === undefined) {
    io.stderr.write(`warning: several regions are named; planned for ${region}, not ${others.join(', ')}\n`);
  }
  return chooseCatalogue(args, io, { region, furtherZones: furtherZones(naming, region) });
}

/** The webhook stamps them on pods when they are created. */
function writePodDefaults({ policies }: Manifests, io: CliIo): void {
  if (policies.podDefaults.length === 0) return;
  const names = policies.podDefaults.map(({ name }) => name).join(', ');
  io.stderr.write(`PodDefaults ${names}: not applied, pods are planned as they are written\n`);
}

/** Overlays without effect are reported, too. */
function writeConflicts({ policies }: Manifests, catalogue: Catalogue, io: CliIo): void {
  for (const conflict of decidedOverlays(policies, catalogue).conflicts)
    io.stderr.write(`warning: NodeOverlay ${conflict.overlay}: ${describeConflict(conflict)}\n`);
}

/** NodePools that are passed over because they, or their node class, are being deleted. */
function writeDeletions({ policies }: Manifests, io: CliIo): void {
  const why = 'is being deleted (metadata.deletionTimestamp): no node is planned for';
  const { nodePools, nodeClasses, beingDeleted } = policies;
  for (const { pool } of nodePools)
    if (beingDeleted.has(`NodePool/${pool.name}`))
      io.stderr.write(`warning: NodePool ${pool.name} ${why} it\n`);
  for (const { kind, name } of nodeClasses)
    if (beingDeleted.has(`${kind}/${name}`))
      io.stderr.write(`warning: ${kind} ${name} ${why} the NodePools that name it\n`);
}

/** Pods that Berth does not plan are reported, so that users do not miss them in the plan. */
function writeIgnored({ ignored }: Demand, io: CliIo): void {
  if (ignored.size === 0) return;
  const parts = [...ignored].sort().map(([reason, count]) => `${String(count)} ${reason}`);
  const total = [...ignored.values()].reduce((sum, count) => sum + count, 0);
  io.stderr.write(`not planned: ${counted(total, 'pod')} (${parts.join(', ')})\n`);
}

interface Solved {
  readonly plan: Plan;
  readonly solveMillis: number;
  readonly nodes: readonly Node[];
  readonly listHourly: number | undefined;
  readonly wide: boolean;
}

function rendered(
  { plan, solveMillis, nodes, listHourly: paid, wide }: Solved,
  format: OutputFormat,
  io: CliIo,
): string {
  switch (format) {
    case 'json':
      return jsonText(planDocument(plan, solveMillis, paid));
    case 'yaml':
      return yamlText(planDocument(plan, solveMillis, paid));
    case 'table':
      return planTable(plan, nodes, terminalOf(io), { listHourly: paid, wide });
  }
}

/** USD/h of the claims, each on its cheapest listed offering; undefined where no pool is offered another price. */
function listHourly({ claims }: Plan, offers: readonly PoolOffer[]): number | undefined {
  if (!offers.some((offer) => allTypesOffered(offer).some(isOverlaid))) return undefined;
  const byPool = new Map(offers.map((offer) => [offer.pool.name, offer]));
  return claims.reduce((sum, claim) => sum + paidFor(claim, byPool.get(claim.nodePool)), 0);
}

function isOverlaid({ offerings }: InstanceType): boolean {
  return offerings.some(({ listPrice }) => listPrice !== undefined);
}

function paidFor(
  { instanceTypes, zones, capacityTypes, chosenLabels, hourlyPrice }: PlannedClaim,
  offer: PoolOffer | undefined,
): number {
  const names = new Set(instanceTypes);
  const listed = (offer === undefined ? [] : typesOffered(offer, chosenLabels))
    .flatMap(({ name, offerings }) => (names.has(name) ? offerings : []))
    .filter(
      ({ zone, capacityType, available }) =>
        available && zones.includes(zone) && capacityTypes.includes(capacityType),
    );
  const cheapest = listed.reduce<Offering | undefined>(
    (best, offering) => (best === undefined || offering.price < best.price ? offering : best),
    undefined,
  );
  return cheapest === undefined ? hourlyPrice : paidPrice(cheapest);
}
