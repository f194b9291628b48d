/** What the page knows: boxes, pods and Decisions as last told, joined, and which boxes have to be drawn again. */

/** Points of the timeline that are kept. */
const MOST_POINTS = 1200;
/** Decisions that are kept, as the server's snapshot has them. */
const MOST_DECISIONS = 300;

export class Model {
  time = 0;
  version = '';
  synced = false;
  /** What Berth has logged as failed in the last ten minutes: `{count, last: {at, text}}`, or null. */
  failures = null;
  /** What is said of a pause; undefined while Berth is not paused. */
  paused = undefined;
  /** Totals of now: `{time, nodes, coming, pending, hourly}`. */
  now = undefined;
  /** `{rows, idle, total, unpriced}`. */
  cost = undefined;
  /** @type {Map<string, any>} Box id → box. */
  boxes = new Map();
  /** @type {Map<string, any>} `namespace/name` → pod. */
  pods = new Map();
  /** @type {any[]} Oldest first. */
  decisions = [];
  /** @type {any[]} Oldest first. */
  points = [];
  /** Box ids to be drawn again. */
  dirty = new Set();
  /** Whether boxes have come or gone. */
  rearranged = true;
  #boxOfNode = new Map();
  #podsIn = new Map();
  #boxOfPod = new Map();

  /**
   * Forgets everything and takes the snapshot.
   * @param {any} snapshot
   */
  replace(snapshot) {
    for (const id of this.boxes.keys()) this.dirty.add(id);
    this.boxes = new Map();
    this.pods = new Map();
    this.decisions = [];
    this.#boxOfNode = new Map();
    this.#podsIn = new Map();
    this.#boxOfPod = new Map();
    this.rearranged = true;
    this.version = snapshot.version;
    this.apply(snapshot);
  }

  /**
   * Takes a change or a tick.
   * @param {any} told
   */
  apply(told) {
    const { time, synced, paused, failures, now, cost, boxes = [], pods = [], decisions = [] } = told;
    this.time = time ?? this.time;
    // Said with every total, while it lasts.
    if (synced !== undefined) this.paused = paused;
    this.synced = synced ?? this.synced;
    if (failures !== undefined) this.failures = failures;
    if (now !== undefined) this.#addPoint(now);
    this.cost = cost ?? this.cost;
    const { goneBoxes = [], gonePods = [], goneDecisions = [] } = told;
    for (const id of goneBoxes) this.#dropBox(id);
    for (const box of boxes) this.#putBox(box);
    for (const key of gonePods) this.#dropPod(key);
    for (const pod of pods) this.#putPod(pod);
    if (decisions.length > 0 || goneDecisions.length > 0) this.#putDecisions(decisions, goneDecisions);
  }

  /**
   * The history, as the server has kept it.
   * @param {any[]} points
   */
  recall(points) {
    const newest = points.at(-1)?.time ?? 0;
    this.points = [...points, ...this.points.filter((point) => point.time > newest)];
  }

  /** Pods in the box, bound and planned, the order being stable. */
  podsIn(id) {
    const pods = [...(this.#podsIn.get(id) ?? [])].flatMap((key) => this.pods.get(key) ?? []);
    return pods.sort((a, b) => a.createdAt - b.createdAt || (a.key < b.key ? -1 : 1));
  }

  /** Pods that wait for a node. */
  pending() {
    const waiting = [...this.pods.values()].filter(({ state, node }) => {
      return node === undefined && (state === 'Planned' || state === 'Refused' || state === 'Waiting');
    });
    const rank = { Refused: 0, Waiting: 1, Planned: 2 };
    return waiting.sort(
      (a, b) => rank[a.state] - rank[b.state] || a.createdAt - b.createdAt || (a.key < b.key ? -1 : 1),
    );
  }

  /** The box that holds the pod or its room. */
  boxOf(pod) {
    if (pod.node !== undefined) return this.#boxOfNode.get(pod.node) ?? `Node/${pod.node}`;
    if (pod.planned === undefined) return undefined;
    const { kind, name } = pod.planned;
    return kind === 'NodeClaim' ? `NodeClaim/${name}` : (this.#boxOfNode.get(name) ?? `Node/${name}`);
  }

  #putBox(box) {
    const before = this.boxes.get(box.id);
    this.boxes.set(box.id, box);
    this.dirty.add(box.id);
    if (before?.pool !== box.pool || before.cpu !== box.cpu) this.rearranged = true;
    if (box.node === undefined || this.#boxOfNode.get(box.node) === box.id) return;
    const old = this.#boxOfNode.get(box.node) ?? `Node/${box.node}`;
    this.#boxOfNode.set(box.node, box.id);
    // The node has turned out to be this claim's: what was put with the node moves.
    for (const key of [...(this.#podsIn.get(old) ?? [])]) this.#putPod(this.pods.get(key));
  }

  #dropBox(id) {
    const box = this.boxes.get(id);
    if (box === undefined) return;
    this.boxes.delete(id);
    if (this.#boxOfNode.get(box.node) === id) this.#boxOfNode.delete(box.node);
    this.dirty.add(id);
    this.rearranged = true;
  }

  #putPod(pod) {
    const before = this.#boxOfPod.get(pod.key);
    const after = this.boxOf(pod);
    this.pods.set(pod.key, pod);
    if (before !== after) this.#leave(pod.key, before);
    if (after === undefined) return;
    this.#boxOfPod.set(pod.key, after);
    const keys = this.#podsIn.get(after) ?? new Set();
    this.#podsIn.set(after, keys.add(pod.key));
    this.dirty.add(after);
  }

  #dropPod(key) {
    this.pods.delete(key);
    this.#leave(key, this.#boxOfPod.get(key));
  }

  #leave(key, box) {
    if (box === undefined) return;
    this.#boxOfPod.delete(key);
    this.#podsIn.get(box)?.delete(key);
    this.dirty.add(box);
  }

  #putDecisions(decisions, gone) {
    const names = new Set([...gone, ...decisions.map(({ name }) => name)]);
    const kept = this.decisions.filter(({ name }) => !names.has(name));
    this.decisions = [...kept, ...decisions].sort((a, b) => a.time - b.time).slice(-MOST_DECISIONS);
  }

  #addPoint(now) {
    this.now = now;
    if (this.points.at(-1)?.time === now.time) return;
    this.points.push(now);
    if (this.points.length > MOST_POINTS) this.points = this.points.filter((_, index) => index % 2 === 0);
  }
}
