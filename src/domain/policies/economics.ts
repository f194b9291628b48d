/** What consolidation weighs a saving against, for the nodes of one NodePool. */

export interface Economics {
  /**
   * Least saving, as a share of what the nodes cost that are replaced: less is left alone, so that small changes of prices move no
   * pods.
   */
  readonly leastSavingShare: number;
  /** Least saving of each node that goes, in USD/h. */
  readonly leastSavingUsd: number;
  /** Most hours that a saving is expected to last, however long nodes have been quiet: moving must pay within them. */
  readonly horizonHours: number;
  /** USD that evicting one pod of ordinary priority counts as. */
  readonly evictionCostUsd: number;
  /** A node younger than that is not consolidated while it has pods. Seconds. */
  readonly minimumLifeSeconds: number;
  /** For so long a node stays to which consolidation moved pods, unless pods leave it by themselves. Seconds. */
  readonly moveAgainAfterSeconds: number;
}

/** Of a pool that says nothing. */
export const DEFAULT_ECONOMICS: Economics = {
  leastSavingShare: 0.03,
  leastSavingUsd: 0,
  horizonHours: 24,
  evictionCostUsd: 0.005,
  minimumLifeSeconds: 0,
  moveAgainAfterSeconds: 3600,
};
