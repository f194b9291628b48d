/**
 * The differential fuzz: plans random small problems and judges each plan by the plan checker, by binding in many orders, and
 * beside a slow search. SEEDS says how many problems, FIRST_SEED where to begin, SHRINK how many failing ones to make small.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { catalogFile, catalogue } from './catalog.js';
import { judge, type Finding, type FindingKind, type Verdict } from './judge.js';
import { randomDocuments } from './random-documents.js';
import type { Json } from './random-workload.js';
import { shrink } from './shrink.js';

const KINDS: readonly FindingKind[] = [
  'invalid',
  'crash',
  'order',
  'uneven',
  'repaired',
  'left-out',
  'left-out-limits',
  'dear',
];
const DEFAULT_SEEDS = 100;
const SHRINK_TRIES = 1_500;

interface Failure extends Finding {
  readonly seed: number;
}

function fromEnvironment(name: string, otherwise: number): number {
  const value = Number(process.env[name] ?? otherwise);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`${name}=${String(process.env[name])}: must be a whole number, 0 or more`);
}

function main(): void {
  const seeds = fromEnvironment('SEEDS', DEFAULT_SEEDS);
  const first = fromEnvironment('FIRST_SEED', 1);
  const types = catalogue();
  const failures: Failure[] = [];
  const prices: { readonly seed: number; readonly plan: number; readonly search: number }[] = [];
  for (let seed = first; seed < first + seeds; seed++) {
    const { findings, price } = judge(randomDocuments(seed), types);
    if (price !== undefined) prices.push({ seed, ...price });
    for (const finding of findings) {
      failures.push({ seed, ...finding });
      write(`seed ${String(seed)}: ${finding.kind}: ${finding.detail.split('\n')[0] ?? ''}\n`);
    }
  }
  const summary = { firstSeed: first, seeds, ...counts(failures), ...priceRatios(prices) };
  mkdirSync('reports', { recursive: true });
  writeFileSync('reports/fuzz-catalog.json', `${JSON.stringify(catalogFile(), undefined, 1)}\n`);
  writeFileSync('reports/fuzz.json', `${JSON.stringify({ summary, failures }, undefined, 1)}\n`);
  for (const failure of failures.slice(0, fromEnvironment('SHRINK', 3))) reproduce(failure);
  for (const [name, value] of Object.entries(summary)) write(`${name.padEnd(22)} ${String(value)}\n`);
  process.exitCode = isGood(summary) ? 0 : 1;
}

type Counts = Readonly<Record<FindingKind, number>>;

function counts(failures: readonly Failure[]): Counts {
  return Object.fromEntries(
    KINDS.map((kind) => [kind, failures.filter((failure) => failure.kind === kind).length]),
  ) as Counts;
}

interface Ratios {
  /** Problems whose prices can be compared. */
  readonly compared: number;
  /** Mean of plan / search where the search pays anything. */
  readonly meanRatio: number;
  readonly worstRatio: number;
  /** Of all prices together. */
  readonly totalRatio: number;
}

function priceRatios(prices: readonly { readonly plan: number; readonly search: number }[]): Ratios {
  const paid = prices.filter(({ search }) => search > 0);
  const ratios = paid.map(({ plan, search }) => plan / search);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const rounded = (value: number): number => Number(value.toFixed(4));
  return {
    compared: prices.length,
    meanRatio: rounded(sum(ratios) / Math.max(1, ratios.length)),
    worstRatio: rounded(Math.max(0, ...ratios)),
    totalRatio: rounded(
      sum(prices.map(({ plan }) => plan)) / Math.max(1e-9, sum(prices.map(({ search }) => search))),
    ),
  };
}

/** Prints a problem that fails in the same way and is as small as it could be made. */
function reproduce({ seed, kind }: Failure): void {
  const types = catalogue();
  const fails = (documents: readonly Json[]): boolean => {
    try {
      return judge(documents, types).findings.some((finding) => finding.kind === kind);
    } catch {
      return false;
    }
  };
  const items = shrink(randomDocuments(seed), fails, SHRINK_TRIES);
  const detail = detailOf(judge(items, types), kind);
  const file = `reports/fuzz-${String(seed)}-${kind}.json`;
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 1);
  writeFileSync(file, `${text}\n`);
  write(`# seed ${String(seed)}, ${kind}: ${detail}\n`);
  write(`# berth plan --catalog reports/fuzz-catalog.json -f ${file}\n`);
  for (const item of items) write(`${JSON.stringify(item)}\n`);
}

function detailOf({ findings }: Verdict, kind: FindingKind): string {
  return findings.find((finding) => finding.kind === kind)?.detail ?? '';
}

/**
 * Shares of the problems, and the mean of price ratios, that planning does not exceed: the 300 problems of CI may have none
 * that is left out, dear or uneven, 10,000 a few.
 */
const MOST = { leftOut: 0.001, leftOutLimits: 0.001, dear: 0.001, uneven: 0, meanRatio: 1 };

/** Nothing invalid, no crash, no order of binding that fails; the rest within what is known. */
function isGood(summary: Counts & Ratios & { readonly seeds: number }): boolean {
  const { seeds, invalid, crash, order, uneven, dear, meanRatio } = summary;
  return (
    invalid + crash + order === 0 &&
    uneven <= seeds * MOST.uneven &&
    summary['left-out'] <= seeds * MOST.leftOut &&
    summary['left-out-limits'] <= seeds * MOST.leftOutLimits &&
    dear <= seeds * MOST.dear &&
    meanRatio <= MOST.meanRatio
  );
}

function write(text: string): void {
  process.stdout.write(text);
}

main();
