/** Nodes that exist and claims opened so far: what is free on each, and what was put there. */
import type { HostPort } from '../../domain/pods/pod.js';
import { howManyFitRow, rowOf, takeRoom } from '../model/launch/room.js';
import type { AttachedVolume } from '../snapshot/volume-index.js';
import type { Ask } from '../model/classes/ask.js';
import type { Place } from '../model/constraints/domains.js';
import type { PodClass } from '../model/classes/pod-class.js';

const NO_SLOTS: ReadonlyMap<string, number> = new Map();
const NO_PORTS: readonly HostPort[] = [];
const NO_CONTENT: ReadonlyMap<number, number> = new Map();
const NO_ARRIVALS: readonly Arrival[] = [];

/** Pods of one class that came to a target one after the other. */
export interface Arrival {
  /** Index of the class. */
  readonly index: number;
  n: number;
  /** Arrivals at any target before this one. */
  readonly at: number;
}

/** What a target is made of. */
interface TargetStart extends Place {
  /** Rows of R amounts, one of which is the target's own to change. */
  readonly room: Float64Array;
  readonly row: number;
  readonly width: number;
  /** CSI driver → where its slots are among the amounts; a driver that is not listed has no limit. */
  readonly slots?: ReadonlyMap<string, number> | undefined;
}

/** One node or claim. There may be thousands that nothing is put on, so that each holds no more than it needs. */
export class Target implements Place {
  readonly target: number;
  #column: number;
  readonly #room: Float64Array;
  readonly #row: number;
  readonly #width: number;
  readonly #slots: ReadonlyMap<string, number>;
  #free: Float64Array | undefined;
  #ports: HostPort[] | undefined;
  /** Claims that pods share and that are attached. */
  #attached: Set<string> | undefined;
  #content: Map<number, number> | undefined;
  #asks: Set<Ask> | undefined;
  #arrivals: Arrival[] | undefined;

  constructor({ target, column, room, row, width, slots = NO_SLOTS }: TargetStart) {
    this.target = target;
    this.#column = column;
    this.#room = room;
    this.#row = row;
    this.#width = width;
    this.#slots = slots;
  }

  get column(): number {
    return this.#column;
  }

  /** Makes a claim one of another column, whose empty node has so much more room (less where negative). */
  become(column: number, more: Float64Array): void {
    this.#column = column;
    takeRoom(more, this.free, -1);
  }

  /** R amounts; shrinks as pods are placed. */
  get free(): Float64Array {
    this.#free ??= rowOf(this.#room, this.#width, this.#row);
    return this.#free;
  }

  get hostPorts(): readonly HostPort[] {
    return this.#ports ?? NO_PORTS;
  }

  /** Class → number of its pods placed here by this plan, in order of arrival. */
  get content(): ReadonlyMap<number, number> {
    return this.#content ?? NO_CONTENT;
  }

  /** The asks under which they were placed: whatever else the claim may become must satisfy them too. */
  get asks(): Set<Ask> {
    this.#asks ??= new Set();
    return this.#asks;
  }

  /** What was placed here, as it came; empty where that was not recorded. */
  get arrivals(): readonly Arrival[] {
    return this.#arrivals ?? NO_ARRIVALS;
  }

  /** Whether there is room for one pod with these requests; a zero request is not looked at. */
  hasRoom(requests: Float64Array): boolean {
    return howManyFitRow(requests, this.#room, this.#row, 1) === 1;
  }

  /** Whether the volumes can be attached too (NodeVolumeLimits); one that is attached already takes no new slot. */
  volumesFit(volumes: readonly AttachedVolume[]): boolean {
    if (volumes.length === 0 || this.#slots.size === 0) return true;
    const more = new Map<string, number>();
    const seen = new Set<string>();
    for (const { claim, driver, shared } of volumes) {
      if (driver === undefined || seen.has(claim) || (shared && this.#attached?.has(claim))) continue;
      seen.add(claim);
      more.set(driver, (more.get(driver) ?? 0) + 1);
    }
    return [...more].every(([driver, count]) => {
      const axis = this.#slots.get(driver);
      return axis === undefined || count <= (this.free[axis] ?? 0);
    });
  }

  /** Records `n` pods of a class: room, ports, volumes, content; and when they came, if that is given. */
  occupy(pods: PodClass, ask: Ask, n: number, at?: number): void {
    if (at !== undefined) (this.#arrivals ??= []).push({ index: pods.index, n, at });
    takeRoom(pods.requests, this.free, n);
    this.bind(pods.hostPorts);
    for (const volume of pods.volumes) this.attach(volume);
    this.#content ??= new Map();
    this.#content.set(pods.index, (this.#content.get(pods.index) ?? 0) + n);
    this.asks.add(ask);
  }

  /**
   * Forgets the `n` pods of a class that came last. What the ask wanted stays on record: at worst the claim lists fewer types
   * than it could. So does a volume that pods share: at worst it takes a slot that is free.
   */
  vacate(pods: PodClass, n: number): void {
    takeRoom(pods.requests, this.free, -n);
    if (pods.hostPorts.length > 0) this.#ports = this.#ports?.slice(0, -n * pods.hostPorts.length);
    const left = (this.#content?.get(pods.index) ?? 0) - n;
    if (left > 0) this.#content?.set(pods.index, left);
    else this.#content?.delete(pods.index);
    if (this.#arrivals !== undefined) forgetLast(this.#arrivals, pods.index, n);
  }

  /** Holds these ports. */
  bind(ports: readonly HostPort[]): void {
    if (ports.length > 0) this.#ports = this.#ports === undefined ? [...ports] : this.#ports.concat(ports);
  }

  /** Takes the slot of a volume that pods share, once; that of any other is among the requests of its pod. */
  attach({ claim, driver, shared }: AttachedVolume): void {
    const axis = shared && driver !== undefined ? this.#slots.get(driver) : undefined;
    if (axis === undefined || this.#attached?.has(claim)) return;
    this.#attached = (this.#attached ?? new Set()).add(claim);
    this.free[axis] = (this.free[axis] ?? 0) - 1;
  }
}

/** Takes the `n` pods of a class that came last off the list. */
function forgetLast(arrivals: Arrival[], index: number, n: number): void {
  let left = n;
  for (let at = arrivals.length - 1; at >= 0 && left > 0; at--) {
    const arrival = arrivals[at];
    if (arrival?.index !== index) continue;
    const gone = Math.min(left, arrival.n);
    left -= gone;
    arrival.n -= gone;
    if (arrival.n === 0) arrivals.splice(at, 1);
  }
}
