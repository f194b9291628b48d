/** The claims of a plan as a table: equal claims share a row. */
import { append } from '../../../../domain/values/lists.js';
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS } from '../../../../domain/values/resources.js';
import type { PlannedClaim } from '../../../../planning/plan.js';
import { formatPrice } from '../text/numbers.js';
import { tableLines } from '../text/table.js';
import type { Terminal } from '../text/terminal.js';
import type { Glyphs } from '../text/glyphs.js';

const COLUMNS = [
  { header: 'NODECLAIM' },
  { header: 'COUNT', align: 'right' },
  { header: 'NODEPOOL' },
  { header: 'TYPE' },
  { header: 'ZONES' },
  { header: 'CAPACITY' },
  { header: 'PODS', align: 'right' },
  { header: 'USD/H', align: 'right' },
  { header: 'CPU' },
  { header: 'MEMORY' },
] as const;
/** Only where a claim has some: GPUs and the like. */
const DEVICES = { header: 'DEVICES' };
const NOT_DEVICES = [CPU, MEMORY, PODS, EPHEMERAL_STORAGE];

/**
 * Header and one line per group of equal claims, in the order of their first; nothing when there are no claims. `wide`: with
 * all instance types of a claim, cheapest first, not the first alone.
 */
export function claimLines(
  claims: readonly PlannedClaim[],
  terminal: Terminal,
  wide = false,
): readonly string[] {
  if (claims.length === 0) return [];
  const hasDevices = claims.some((claim) => devicesText(claim) !== '');
  const table = groupsOf(claims).map((group) => rowOf(group, terminal, wide));
  const columns = hasDevices ? [...COLUMNS, DEVICES] : COLUMNS;
  const [header = '', ...rows] = tableLines(columns, table);
  return [terminal.style.bold(header), ...rows];
}

type Group = readonly [PlannedClaim, ...PlannedClaim[]];

/** Claims are equal when they ask for the same: what the cloud is asked for in one call, and as full. */
function groupsOf(claims: readonly PlannedClaim[]): readonly Group[] {
  const groups = new Map<string, [PlannedClaim, ...PlannedClaim[]]>();
  for (const claim of claims) {
    const { nodePool, instanceTypes, zones, capacityTypes, pods, hourlyPrice } = claim;
    const requests = [...claim.requests].sort();
    const key = JSON.stringify([
      nodePool,
      instanceTypes,
      zones,
      capacityTypes,
      pods.length,
      hourlyPrice,
      requests,
    ]);
    append(groups, key, claim);
  }
  return [...groups.values()];
}

/** Pods and price are those of the whole group. */
function rowOf(group: Group, { style, glyphs }: Terminal, wide: boolean): readonly string[] {
  const [claim] = group;
  const count = group.length;
  return [
    count === 1 ? claim.name : `${claim.name}, ...`,
    `${glyphs.times}${String(count)}`,
    claim.nodePool,
    wide ? claim.instanceTypes.join(',') : typeText(claim, style),
    zonesText(claim.zones),
    claim.capacityTypes.join(','),
    String(group.reduce((sum, each) => sum + each.pods.length, 0)),
    formatPrice(group.reduce((sum, each) => sum + each.hourlyPrice, 0)),
    fillOf(claim, CPU, { style, glyphs }),
    fillOf(claim, MEMORY, { style, glyphs }),
    devicesText(claim),
  ];
}

function typeText(
  { instanceTypes: [type = '-', ...others] }: PlannedClaim,
  style: Terminal['style'],
): string {
  return others.length > 0 ? `${type} ${style.dim(`(+${String(others.length)} more)`)}` : type;
}

function fillOf(claim: PlannedClaim, resource: string, { glyphs }: Terminal): string {
  return fillBar(claim.requests.get(resource) ?? 0, claim.allocatable.get(resource) ?? 0, glyphs);
}

/** What is taken and what there is: `1/4 nvidia.com/gpu`. */
function devicesText({ requests, allocatable }: PlannedClaim): string {
  return [...requests]
    .filter(([name, amount]) => amount > 0 && !NOT_DEVICES.includes(name))
    .map(([name, amount]) => `${String(amount)}/${String(allocatable.get(name) ?? 0)} ${name}`)
    .sort()
    .join(', ');
}

/** Zones of one region share its name: `eu-west-3a,b,c`; others stand in full. */
export function zonesText(zones: readonly string[]): string {
  const [first, ...rest] = [...zones].sort();
  if (first === undefined) return '-';
  const region = first.slice(0, -1);
  return [first, ...rest.map((zone) => (zone.slice(0, -1) === region ? zone.slice(-1) : zone))].join(',');
}

// A bar that shows how full something is.

const CELLS = 10;

/**
 * Ten cells and the percentage: `######....  61%`. Only what is full shows ten full cells, only what is empty none;
 * what has no size shows no bar.
 */
export function fillBar(used: number, size: number, glyphs: Glyphs): string {
  if (size <= 0) return '-';
  const share = Math.min(1, Math.max(0, used / size));
  const full = clamp(Math.round(share * CELLS), share > 0 ? 1 : 0, share < 1 ? CELLS - 1 : CELLS);
  const percent = Math.floor(share * 100);
  return `${glyphs.full.repeat(full)}${glyphs.empty.repeat(CELLS - full)} ${String(percent).padStart(3)}%`;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
