/** A pod while documents are applied to it: what it says so far, and what a document would still add. */
import { ARCH, canonicalLabel, CAPACITY_TYPE, HOSTNAME, NODEPOOL, ZONE } from '../../domain/values/labels.js';
import type { PodDefaults, SpreadDefault, StampedToleration } from '../../domain/policies/pod-defaults.js';
import { spreadSelector, type SpreadSelector } from './stamp-pod-spread.js';
import { covers, formatToleration } from './stamp-pod-toleration.js';
import type { PodToleration, PodView } from './stamp-pod-view.js';

/** One addition to a pod. */
export type Stamp =
  | { readonly kind: 'nodeSelector'; readonly field: string; readonly key: string; readonly value: string }
  | {
      readonly kind: 'spread';
      readonly field: string;
      readonly topologyKey: string;
      readonly spread: SpreadDefault;
      readonly selector: SpreadSelector;
    }
  | { readonly kind: 'toleration'; readonly toleration: StampedToleration }
  | { readonly kind: 'schedulerName'; readonly name: string };

/** What one document adds, and whether no later one may choose the scheduler. */
export interface Missing {
  readonly stamps: readonly Stamp[];
  readonly choosesScheduler: boolean;
}

const BERTH_SCHEDULER = 'berth-scheduler';
const DEFAULT_SCHEDULER = 'default-scheduler';

export class PodDraft {
  readonly #namedLabels: Set<string>;
  readonly #spreadKeys: Set<string>;
  readonly #tolerations: PodToleration[];
  readonly #spreadSelector: SpreadSelector | undefined;
  readonly #schedulerRuns: boolean;
  #hasScheduler: boolean;

  constructor(pod: PodView, schedulerRuns: boolean) {
    this.#namedLabels = new Set(pod.namedLabels);
    this.#spreadKeys = new Set(pod.spreadKeys);
    this.#tolerations = [...pod.tolerations];
    this.#spreadSelector = spreadSelector(pod.labels);
    this.#schedulerRuns = schedulerRuns;
    this.#hasScheduler = pod.schedulerName !== '' && pod.schedulerName !== DEFAULT_SCHEDULER;
  }

  /** What the document asks for and the pod does not say yet. */
  missing(document: PodDefaults): Missing {
    const { schedulerName } = document;
    const choosesScheduler = schedulerName !== undefined && !this.#hasScheduler;
    return {
      stamps: [
        ...this.#missingLabels(document),
        ...this.#missingSpread(document),
        ...this.#missingTolerations(document),
        ...(choosesScheduler ? this.#schedulerStamp(schedulerName) : []),
      ],
      choosesScheduler,
    };
  }

  /** From now on the pod says these too. */
  take({ stamps, choosesScheduler }: Missing): void {
    this.#hasScheduler ||= choosesScheduler;
    for (const stamp of stamps) {
      if (stamp.kind === 'nodeSelector') this.#namedLabels.add(canonicalLabel(stamp.key));
      else if (stamp.kind === 'spread') this.#spreadKeys.add(stamp.topologyKey);
      else if (stamp.kind === 'toleration') this.#tolerations.push(written(stamp.toleration));
    }
  }

  #missingLabels(document: PodDefaults): readonly Stamp[] {
    const wanted = [
      { field: 'architecture', key: ARCH, value: document.architecture },
      { field: 'capacityType', key: CAPACITY_TYPE, value: document.capacityType },
      { field: 'nodePool', key: NODEPOOL, value: document.nodePool },
      ...[...document.nodeSelector].map(([key, value]) => ({ field: `nodeSelector.${key}`, key, value })),
    ];
    const named = new Set(this.#namedLabels);
    return wanted.flatMap(({ field, key, value }) => {
      const current = canonicalLabel(key);
      if (value === undefined || named.has(current)) return [];
      named.add(current);
      return [{ kind: 'nodeSelector', field, key, value }];
    });
  }

  #missingSpread({ spread }: PodDefaults): readonly Stamp[] {
    const selector = this.#spreadSelector;
    if (selector === undefined) return [];
    const wanted = [
      { field: 'spread.zone', topologyKey: ZONE, spread: spread.zone },
      { field: 'spread.host', topologyKey: HOSTNAME, spread: spread.host },
    ];
    return wanted.flatMap(({ field, topologyKey, spread: over }) => {
      if (over === undefined || this.#spreadKeys.has(topologyKey)) return [];
      return [{ kind: 'spread', field, topologyKey, spread: over, selector }];
    });
  }

  #missingTolerations({ tolerations }: PodDefaults): readonly Stamp[] {
    const present = [...this.#tolerations];
    return tolerations.flatMap((toleration) => {
      const asked = written(toleration);
      if (present.some((item) => covers(item, asked))) return [];
      present.push(asked);
      return [{ kind: 'toleration', toleration }];
    });
  }

  /** The pod would stay pending if it named a scheduler of ours that does not run. */
  #schedulerStamp(asked: string): readonly Stamp[] {
    const name = asked === 'auto' ? BERTH_SCHEDULER : asked;
    if (name === 'never' || name === DEFAULT_SCHEDULER) return [];
    if (name === BERTH_SCHEDULER && !this.#schedulerRuns) return [];
    return [{ kind: 'schedulerName', name }];
  }
}

/** The field of PodDefaults that a stamp comes from, as the record names it. */
export function recordedField(stamp: Stamp): string {
  switch (stamp.kind) {
    case 'nodeSelector':
    case 'spread':
      return stamp.field;
    case 'toleration':
      return `tolerations.${formatToleration(written(stamp.toleration))}`;
    case 'schedulerName':
      return stamp.kind;
  }
}

/** For people: `nodeSelector kubernetes.io/arch=arm64`. */
export function formatStamp(stamp: Stamp): string {
  switch (stamp.kind) {
    case 'nodeSelector':
      return `nodeSelector ${stamp.key}=${stamp.value}`;
    case 'spread':
      return `spread over ${stamp.topologyKey}`;
    case 'toleration':
      return `toleration ${formatToleration(written(stamp.toleration))}`;
    case 'schedulerName':
      return `schedulerName ${stamp.name}`;
  }
}

function written({ key, operator, value, effect }: StampedToleration): PodToleration {
  return { key, operator, value, effect: effect ?? '' };
}
