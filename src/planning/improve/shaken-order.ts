/** Another order of packing than the usual one, drawn by chance: of classes, nodes and prices. */
import type { Chance } from '../pack/chance.js';
import type { PackingOrder } from '../pack/packing-order.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { Problem } from '../model/problem.js';
import type { Target } from '../rules/targets.js';

/** By how much prices look higher or lower, at most: not at all, a little, or by so much that any type may come first. */
const NOISES = [0, 0, 0.3, 1, 4];

export function shakenOrder(
  { launchables, snapshot }: Problem,
  usual: readonly PodClass[],
  chance: Chance,
): PackingOrder {
  const classes = shakenClasses(usual, chance);
  const noise = NOISES[chance.below(NOISES.length)] ?? 0;
  const rowFactor =
    noise === 0
      ? undefined
      : Float64Array.from(launchables.rowType, () => Math.exp(noise * (chance.next() - 0.5)));
  const skipped = snapshot.nodes.map(() => chance.happens(0.3));
  const skips = snapshot.nodes.length > 0 && chance.happens(0.3);
  const arrange = (targets: readonly Target[]): readonly Target[] =>
    skips ? targets.filter(({ target }) => skipped[target] !== true) : targets;
  const isShuffled = chance.happens(0.5);
  return {
    classes,
    bands: [{ first: 0, end: classes.length }],
    isMixed: true,
    isStrict: chance.happens(0.5),
    rowFactor,
    arrange: (targets) => (isShuffled ? chance.shuffled(arrange(targets)) : arrange(targets)),
    limitWeight: chance.happens(0.2) ? 1 : 0,
  };
}

function shakenClasses(usual: readonly PodClass[], chance: Chance): readonly PodClass[] {
  const kind = chance.below(4);
  if (kind === 0) return usual;
  if (kind === 1) return chance.shuffled(usual);
  const ranked = usual.map((pods, position) => ({
    pods,
    rank: kind === 2 ? position + chance.next() * usual.length * 0.7 : rulesOf(pods) * -1 + 2 * chance.next(),
  }));
  return ranked.sort((left, right) => left.rank - right.rank).map(({ pods }) => pods);
}

function rulesOf({ asks }: PodClass): number {
  const ask = asks.at(-1);
  return ask === undefined ? 0 : ask.spread.length + ask.affinity.length + ask.antiAffinity.length;
}
