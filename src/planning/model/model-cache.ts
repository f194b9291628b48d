/** What compiling remembers from one problem to the next; it changes how long compiling takes, never what comes of it. */
import type { Node } from '../../domain/nodes/node.js';
import { SnapshotCache } from '../snapshot/snapshot-cache.js';
import { LaunchablesTable } from './launch/launchables-table.js';
import { NodeAnswers } from './constraints/admission.js';
import type { NodeView } from './constraints/node-constraint.js';
import { PodClassTable } from './classes/pod-class.js';
import { SpecFactsTable } from './classes/spec-facts.js';
import { TopologyCompiler } from './classes/topology-groups.js';
import { ViewLabels } from './constraints/domains.js';

/** What depends on the spread that pods without their own have by default. */
interface SpecTables {
  readonly facts: SpecFactsTable;
  readonly topology: TopologyCompiler;
  readonly classes: PodClassTable;
}

/**
 * One for the life of a planner. Objects of the domain (pods, specs, nodes, pools, DaemonSets, instance types) are known by
 * identity and must not change; a new object with the same content costs what a new one costs. Kept are: what is known of
 * an object, while the object lives; lists and answers about nodes, of the last plan; launchables with their answers, of
 * the last two sets of pools and 64 MiB of answers each; texts of specs, up to a number that no plan has.
 */
export class ModelCache {
  /** For buildSnapshot. */
  readonly snapshots = new SnapshotCache();
  readonly launchables: LaunchablesTable;
  readonly #views = new WeakMap<Node, NodeView>();
  #nodes: readonly Node[] = [];
  #nodeViews: readonly NodeView[] = [];
  #nodeAnswers = new NodeAnswers([]);
  #nodeLabels = new ViewLabels([]);
  readonly tables: SpecTables = {
    facts: new SpecFactsTable(),
    topology: new TopologyCompiler(),
    classes: new PodClassTable(),
  };

  /** @param launchables those of another cache, to share what is compiled of pools and types. */
  constructor(launchables = new LaunchablesTable()) {
    this.launchables = launchables;
  }

  /** Nodes as constraints see them; the same list for the same list. */
  nodeViews(nodes: readonly Node[]): readonly NodeView[] {
    if (nodes !== this.#nodes) {
      this.#nodes = nodes;
      this.#nodeViews = nodes.map((node) => this.#viewOf(node));
    }
    return this.#nodeViews;
  }

  #viewOf(node: Node): NodeView {
    const known = this.#views.get(node);
    if (known !== undefined) return known;
    const made: NodeView = {
      labels: node.labels,
      fields: new Map([['metadata.name', node.name]]),
      taints: node.taints,
      cordoned: node.unschedulable,
      features: node.declaredFeatures ?? NO_FEATURES,
    };
    this.#views.set(node, made);
    return made;
  }

  /** Labels of these nodes as domains. */
  nodeLabels(views: readonly NodeView[]): ViewLabels {
    if (!this.#nodeLabels.areOf(views)) this.#nodeLabels = new ViewLabels(views);
    return this.#nodeLabels;
  }

  /** Answers for these nodes, with those known of the plan before. */
  nodeAnswers(views: readonly NodeView[]): NodeAnswers {
    this.#nodeAnswers = new NodeAnswers(views, this.#nodeAnswers);
    return this.#nodeAnswers;
  }
}

const NO_FEATURES: ReadonlySet<string> = new Set();
