/** Which devices the pods of a plan get on each node and claim; no device twice, and a claim that pods share in one place. */
import { NO_DEVICES, type NodeDevices } from '../../domain/devices/device.js';
import type { DeviceDemand } from '../devices/device-demand.js';
import { type Allotted, DeviceRoom } from '../devices/device-room.js';
import { lackOf, reasonOf, unallocated } from '../devices/device-lack.js';
import type { PodClass } from '../model/classes/pod-class.js';
import { howManyFit, howManyFitNew, rowOf, takeRoom } from '../model/launch/room.js';
import type { Problem } from '../model/problem.js';
import type { Reason } from '../reason.js';
import type { Target } from './targets.js';

/** What one pod got. */
interface Held {
  /** Index of its class; -1 of a pod that is planned there already. */
  readonly index: number;
  readonly demands: readonly DeviceDemand[];
  devices: readonly Allotted[];
}

interface Room {
  room: DeviceRoom;
  readonly held: Held[];
  /** Class → what was lacking when it was asked last, since anything changed here. */
  readonly known: Map<number, Reason | undefined>;
}

/** A claim that pods share: where its devices are. */
interface SharedClaim {
  readonly target: Target;
  users: number;
  /** Its demand, and the devices that were allotted for it. */
  readonly demand: DeviceDemand;
  devices: readonly Allotted[];
}

/** What holds whatever is placed. */
interface Answers {
  /** Claim → what all pods request together that share it. */
  readonly ofClaim: Map<string, Float64Array | undefined>;
  /** Class → devices of an empty node → what they lack for one of its pods. */
  readonly ofEmpty: Map<number, Map<NodeDevices, Reason | undefined>>;
}

/** Packings of one problem share them. */
const ANSWERS = new WeakMap<Problem, Answers>();

export class DeviceRooms {
  readonly #problem: Problem;
  /** Whether several nodes reach the same devices. */
  readonly #isAnyShared: boolean;
  readonly #rooms = new Map<Target, Room>();
  readonly #shared = new Map<string, SharedClaim>();
  /** Devices that several nodes reach, and that the plan has allotted. */
  readonly #elsewhere = new Set<string>();
  readonly #answers: Answers;

  /** undefined where no pod of the problem claims devices. */
  static of(problem: Problem): DeviceRooms | undefined {
    const isAny = problem.classes.some(({ devices }) => devices.length > 0);
    return isAny ? new DeviceRooms(problem) : undefined;
  }

  private constructor(problem: Problem) {
    this.#problem = problem;
    this.#answers = ANSWERS.get(problem) ?? { ofClaim: new Map(), ofEmpty: new Map() };
    ANSWERS.set(problem, this.#answers);
    this.#isAnyShared = problem.snapshot.nodes.some(({ devices }) =>
      devices?.pools.some(({ shared }) => shared),
    );
  }

  /**
   * R amounts that all pods request which share a claim with the class, while the claim is nowhere yet: its first pod decides
   * where all of them go. undefined where the class shares none, and where no node would hold them.
   */
  roomForSharing({ devices }: PodClass): Float64Array | undefined {
    const named = devices.find(
      ({ claim, isNamed, requests }) => isNamed && requests.length > 0 && !this.#shared.has(claim),
    );
    return named && this.#together(named.claim);
  }

  #together(claim: string): Float64Array | undefined {
    const { ofClaim } = this.#answers;
    if (ofClaim.has(claim)) return ofClaim.get(claim);
    const { classes, snapshot, launchables, nodeFree } = this.#problem;
    const width = snapshot.resources.length;
    const sum = new Float64Array(width);
    for (const { devices, requests, pods } of classes)
      if (devices.some((each) => each.isNamed && each.claim === claim)) takeRoom(requests, sum, -pods.length);
    const fits =
      launchables.rowType.some((_, row) => howManyFitNew(sum, rowOf(launchables.net, width, row), 1) === 1) ||
      snapshot.nodes.some((_, node) => howManyFit(sum, rowOf(nodeFree, width, node), 1) === 1);
    ofClaim.set(claim, fits ? sum : undefined);
    return fits ? sum : undefined;
  }

  /** Whether devices matter for what is on the target. */
  concerns(target: Target): boolean {
    return (this.#rooms.get(target)?.held.length ?? 0) > 0;
  }

  /** Why the target has no devices for one more pod of the class; undefined where it has. */
  lacks({ devices, index }: Pick<PodClass, 'devices' | 'index'>, target: Target): Reason | undefined {
    if (devices.length === 0) return undefined;
    const { known } = this.#roomOf(target);
    if (known.has(index)) return known.get(index);
    const reason = this.#lack(devices, target);
    // Claims and devices that others may have, too, change without this target.
    if (!this.#isAnyShared && devices.every(({ isNamed }) => !isNamed)) known.set(index, reason);
    return reason;
  }

  #lack(devices: readonly DeviceDemand[], target: Target): Reason | undefined {
    const wanted = this.#wanted(devices, target);
    if ('code' in wanted) return wanted;
    if (wanted.length === 0) return undefined;
    const allocation = this.#roomOf(target).room.allocate(wanted);
    return 'lacks' in allocation ? reasonOf(allocation.lacks, this.#nameOf(target)) : undefined;
  }

  /** Why a new node of the column would have none for a pod of the class. */
  lacksOn(pods: PodClass, column: number): Reason | undefined {
    if (pods.devices.length === 0) return undefined;
    const taken = pods.devices.find(({ isNamed, claim }) => isNamed && this.#shared.has(claim));
    if (taken !== undefined) return { code: 'DevicesElsewhere', claim: taken.claim };
    const row = this.#problem.launchables.columnRow[column] ?? 0;
    const devices = this.#devicesOfRow(row);
    const { ofEmpty } = this.#answers;
    const known = ofEmpty.get(pods.index) ?? new Map<NodeDevices, Reason | undefined>();
    ofEmpty.set(pods.index, known);
    if (known.has(devices)) return known.get(devices);
    const reason = lackOf(devices, pods.devices, this.#problem.launchables.rowType[row]?.name ?? '');
    known.set(devices, reason);
    return reason;
  }

  /** Whether a node of the row would have devices for all that is on the claim, and for one more pod of a class. */
  suits(target: Target, row: number, more?: Pick<PodClass, 'devices'>): boolean {
    const held = this.#rooms.get(target)?.held ?? [];
    if (held.length === 0 && (more?.devices.length ?? 0) === 0) return true;
    const room = new DeviceRoom(this.#devicesOfRow(row));
    const isThere = (demands: readonly DeviceDemand[]): boolean => {
      const allocation = room.allocate(demands);
      if ('devices' in allocation) room.take(allocation.devices);
      return 'devices' in allocation;
    };
    const own = held.map(({ demands }) => demands.filter(({ isNamed }) => !isNamed));
    const wanted = more === undefined ? [] : this.#wanted(more.devices, target);
    if ('code' in wanted) return false;
    return [...this.#sharedOn(target).map(({ demand }) => [demand]), ...own, wanted].every(isThere);
  }

  /** Pods of the class come to the target, which lacks nothing for them. */
  put(pods: PodClass, target: Target, n: number): void {
    if (pods.devices.length === 0) return;
    for (let pod = 0; pod < n; pod++)
      if (!this.#enter(pods.index, pods.devices, target))
        throw new RangeError(`no devices for class ${String(pods.index)} on target ${String(target.target)}`);
  }

  /** A pod that is planned on the node already, without devices of its own yet. */
  enterPlanned(demands: readonly DeviceDemand[], target: Target): void {
    this.#enter(-1, demands, target);
  }

  /** Takes back the pods of the class that came last. */
  takeBack(pods: PodClass, target: Target, n: number): void {
    const room = pods.devices.length === 0 ? undefined : this.#rooms.get(target);
    if (room === undefined) return;
    for (let pod = 0; pod < n; pod++) {
      const at = room.held.findLastIndex(({ index }) => index === pods.index);
      const [gone] = at < 0 ? [] : room.held.splice(at, 1);
      if (gone === undefined) return;
      this.#release(room, gone.devices);
      for (const { claim, isNamed } of gone.demands) if (isNamed) this.#leave(claim, room);
    }
  }

  /** The claim is one of another column now, which `suits` it. */
  retype(target: Target): void {
    const before = this.#rooms.get(target);
    if (before === undefined) return;
    for (const { devices } of before.held) this.#release(before, devices);
    const shared = this.#sharedOn(target);
    for (const each of shared) this.#release(before, each.devices);
    before.room = new DeviceRoom(this.#devicesOf(target), this.#elsewhere);
    before.known.clear();
    const own = before.held.map((each) => ({
      each,
      demands: each.demands.filter(({ isNamed }) => !isNamed),
    }));
    const all = [...shared.map((each) => ({ each, demands: [each.demand] })), ...own];
    for (const { each } of all) each.devices = [];
    for (const { each, demands } of all) {
      const devices = this.#allot(before, demands);
      if (devices === undefined) {
        this.#allotTogether(before, all);
        return;
      }
      each.devices = devices;
    }
  }

  /** Where what comes first takes what only others could do with: all of them are sought for at once. */
  #allotTogether(
    room: Room,
    all: readonly {
      readonly each: { devices: readonly Allotted[] };
      readonly demands: readonly DeviceDemand[];
    }[],
  ): void {
    for (const { each } of all) this.#release(room, each.devices);
    const devices = this.#allot(
      room,
      all.flatMap(({ demands }) => demands),
    );
    let first = 0;
    for (const { each, demands } of all) {
      const [from, end] = [first, first + demands.length];
      each.devices = devices?.filter(({ demand }) => demand >= from && demand < end) ?? [];
      first = end;
    }
  }

  /** Nothing of it counts any more. */
  forget(target: Target): void {
    this.#rooms.delete(target);
  }

  #enter(index: number, demands: readonly DeviceDemand[], target: Target): boolean {
    const wanted = this.#wanted(demands, target);
    if ('code' in wanted) return false;
    const room = this.#roomOf(target);
    const allotted = this.#allot(room, wanted);
    if (allotted === undefined) return false;
    const isShared = (each: Allotted): boolean => wanted[each.demand]?.isNamed === true;
    wanted.forEach((demand, at) => {
      if (!demand.isNamed) return;
      const devices = allotted.filter((each) => each.demand === at);
      this.#shared.set(demand.claim, { target, users: 0, demand, devices });
    });
    for (const { claim, isNamed } of demands) {
      const shared = isNamed ? this.#shared.get(claim) : undefined;
      if (shared !== undefined) shared.users++;
    }
    room.held.push({ index, demands, devices: allotted.filter((each) => !isShared(each)) });
    return true;
  }

  #leave(claim: string, room: Room): void {
    const shared = this.#shared.get(claim);
    if (shared === undefined || --shared.users > 0) return;
    this.#release(room, shared.devices);
    this.#shared.delete(claim);
  }

  /** What is still to be allotted on the target; or why nothing can be. */
  #wanted(demands: readonly DeviceDemand[], target: Target): readonly DeviceDemand[] | Reason {
    const wanted: DeviceDemand[] = [];
    for (const demand of unallocated(demands)) {
      const shared = demand.isNamed ? this.#shared.get(demand.claim) : undefined;
      if (shared === undefined) wanted.push(demand);
      else if (shared.target !== target) return { code: 'DevicesElsewhere', claim: demand.claim };
    }
    return wanted;
  }

  #sharedOn(target: Target): readonly SharedClaim[] {
    return [...this.#shared.values()].filter((each) => each.target === target);
  }

  #allot(room: Room, demands: readonly DeviceDemand[]): readonly Allotted[] | undefined {
    const allocation = room.room.allocate(demands);
    if ('lacks' in allocation) return undefined;
    room.room.take(allocation.devices);
    room.known.clear();
    for (const { pool, id } of allocation.devices) if (pool.shared) this.#elsewhere.add(id);
    return allocation.devices;
  }

  #release({ room, known }: Room, devices: readonly Allotted[]): void {
    room.release(devices);
    known.clear();
    for (const { pool, id } of devices) if (pool.shared) this.#elsewhere.delete(id);
  }

  #roomOf(target: Target): Room {
    const known = this.#rooms.get(target);
    if (known !== undefined) return known;
    const made: Room = {
      room: new DeviceRoom(this.#devicesOf(target), this.#elsewhere),
      held: [],
      known: new Map(),
    };
    this.#rooms.set(target, made);
    return made;
  }

  #devicesOf({ target, column }: Target): NodeDevices {
    const { launchables, snapshot } = this.#problem;
    if (column < 0) return snapshot.nodes[target]?.devices ?? NO_DEVICES;
    return this.#devicesOfRow(launchables.columnRow[column] ?? 0);
  }

  #devicesOfRow(row: number): NodeDevices {
    return this.#problem.launchables.rowType[row]?.devices ?? NO_DEVICES;
  }

  #nameOf({ target, column }: Target): string {
    const { launchables, snapshot } = this.#problem;
    if (column < 0) return snapshot.nodes[target]?.name ?? '';
    return launchables.rowType[launchables.columnRow[column] ?? 0]?.name ?? '';
  }
}
