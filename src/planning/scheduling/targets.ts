/** Nodes that exist and claims opened so far: what is free on each, and what was put there. */
import type { HostPort } from '../../domain/pod.js';
import { hostPortsConflict } from '../../domain/pod.js';
import { takeRoom } from './room.js';
import type { AttachedVolume } from '../snapshot/volume-index.js';
import type { Ask } from './ask.js';
import type { Place } from './domains.js';
import type { PodClass } from './pod-class.js';

/** One node or claim. `free` belongs to it alone and shrinks as pods are placed. */
export interface Target extends Place {
  /** R amounts. */
  readonly free: Float64Array;
  readonly hostPorts: HostPort[];
  /** Claims attached, and how many volumes per CSI driver. */
  readonly attached: Set<string>;
  readonly attachments: Map<string, number>;
  readonly volumeLimits: ReadonlyMap<string, number>;
  /** Class → number of its pods placed here by this plan, in order of arrival. */
  readonly content: Map<number, number>;
  /** The asks under which they were placed: whatever else the claim may become must satisfy them too. */
  readonly asks: Set<Ask>;
}

export const NO_LIMITS: ReadonlyMap<string, number> = new Map();

export function newTarget(place: Place, free: Float64Array, volumeLimits = NO_LIMITS): Target {
  return {
    ...place,
    free,
    hostPorts: [],
    attached: new Set(),
    attachments: new Map(),
    volumeLimits,
    content: new Map(),
    asks: new Set(),
  };
}

/** The first of the ports that is taken (NodePorts), or undefined. */
export function takenPort(ports: readonly HostPort[], inUse: readonly HostPort[]): HostPort | undefined {
  return ports.find((port) => inUse.some((taken) => hostPortsConflict(port, taken)));
}

/** Whether the volumes can be attached too (NodeVolumeLimits); one that is attached already takes no new slot. */
export function volumesFit(target: Target, volumes: readonly AttachedVolume[]): boolean {
  if (volumes.length === 0) return true;
  const more = new Map<string, number>();
  const seen = new Set<string>();
  for (const { claim, driver, shared } of volumes) {
    if (driver === undefined || seen.has(claim) || (shared && target.attached.has(claim))) continue;
    seen.add(claim);
    more.set(driver, (more.get(driver) ?? 0) + 1);
  }
  return [...more].every(([driver, count]) => {
    const limit = target.volumeLimits.get(driver);
    return limit === undefined || (target.attachments.get(driver) ?? 0) + count <= limit;
  });
}

/** Records `n` pods of a class: room, ports, volumes, content. */
export function occupy(target: Target, pods: PodClass, ask: Ask, n: number): void {
  takeRoom(pods.requests, target.free, n);
  target.hostPorts.push(...pods.hostPorts);
  for (const volume of pods.volumes) attach(target, volume, n);
  target.content.set(pods.index, (target.content.get(pods.index) ?? 0) + n);
  target.asks.add(ask);
}

/**
 * Forgets `n` pods of a class without ports and volumes. What the ask wanted stays on record: at worst the claim lists
 * fewer types than it could.
 */
export function vacate(target: Target, pods: PodClass, n: number): void {
  takeRoom(pods.requests, target.free, -n);
  const left = (target.content.get(pods.index) ?? 0) - n;
  if (left > 0) target.content.set(pods.index, left);
  else target.content.delete(pods.index);
}

/** Counts one pod's use of a volume, `n` times for pods that have one each. */
export function attach(target: Target, { claim, driver, shared }: AttachedVolume, n: number): void {
  if (driver === undefined || (shared && target.attached.has(claim))) return;
  if (shared) target.attached.add(claim);
  target.attachments.set(driver, (target.attachments.get(driver) ?? 0) + (shared ? 1 : n));
}
