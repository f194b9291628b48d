/** Placement's questions, answered from the cluster in memory and the books of room. */
import type { ReservationTarget } from '../../domain/records/reservation.js';
import type {
  NodeColumns,
  PlacementNode,
  PlacementPod,
  PlacementView,
  PlannedPlace,
  Shortage,
} from '../../planning/placement/placement-view.js';
import type { Cluster } from '../cluster/cluster.js';
import type { EntryRoom } from './held-room.js';
import { waitsForGang } from '../nodes/gang-readiness.js';
import { waitsForOthers } from './bind-turn.js';
import type { NodeAccount } from './node-account.js';
import { isLeaving, targetState } from '../nodes/node-state.js';
import type { Amounts } from './resource-columns.js';
import type { RoomLedger } from './room-ledger.js';

export class PlacementAnswers implements PlacementView {
  readonly #cluster: Cluster;
  readonly #ledger: RoomLedger;

  constructor({ cluster, ledger }: { readonly cluster: Cluster; readonly ledger: RoomLedger }) {
    this.#cluster = cluster;
    this.#ledger = ledger;
  }

  node(name: string): PlacementNode | undefined {
    return this.#ledger.account(name);
  }

  get columns(): NodeColumns {
    return this.#ledger.rows;
  }

  get restricted(): ReadonlySet<string> {
    return this.#ledger.restricted;
  }

  waitsForGang(pod: PlacementPod): boolean {
    return waitsForGang(this.#cluster, pod);
  }

  waitsForOthers(pod: PlacementPod): boolean {
    return waitsForOthers(this.#cluster, pod.uid);
  }

  awaitsPlace(pod: PlacementPod): boolean {
    return this.#ledger.isUnwritten(pod.uid);
  }

  placesOf(pod: PlacementPod): readonly PlannedPlace[] {
    return this.#ledger
      .roomsFor(pod)
      .flatMap(({ reservation: { name, target } }) => this.#placeAt(target, name) ?? []);
  }

  /**
   * A pod that asks for no more than its own entry holds is always allowed. One that asks for more, or that uses an
   * entry of its owner, must not take room that is reserved for others.
   */
  admits(pod: PlacementPod, place: PlannedPlace): boolean {
    const account = place.nodeName === undefined ? undefined : this.#ledger.account(place.nodeName);
    const held = this.#ledger.roomsFor(pod).find(({ reservation }) => reservation.name === place.reservation);
    if (account === undefined || held === undefined) return false;
    const asked = this.#ledger.amountsOf(pod);
    const { room } = held;
    if (room.entry.podUID !== undefined && isWithin(asked, room.amounts)) return true;
    const own = room.isCountedOn(account) ? timesOf(room) : [];
    const returned = [...this.#ownCharge(pod, account), ...own];
    return account.shortage(asked, { returned, taken: this.#ledger.possibleGuests(pod, account) }) === 'none';
  }

  shortage(pod: PlacementPod, node: PlacementNode, freed: readonly string[] = []): Shortage {
    const account = this.#ledger.account(node.name);
    if (account === undefined) return 'none';
    return account.shortage(this.#ledger.amountsOf(pod), {
      returned: [...this.#ownCharge(pod, account), ...this.#roomOf(freed, node.name)],
      taken: this.#ledger.possibleGuests(pod, account),
    });
  }

  #ownCharge(pod: PlacementPod, account: NodeAccount): readonly Amounts[] {
    const charge = this.#ledger.ownCharge(pod, account);
    return charge === undefined ? [] : [charge];
  }

  #roomOf(podUIDs: readonly string[], nodeName: string): readonly Amounts[] {
    return podUIDs.flatMap((uid) => {
      const pod = this.#cluster.podByUID(uid);
      return pod?.nodeName === nodeName ? [this.#ledger.amountsOf(pod)] : [];
    });
  }

  #placeAt(target: ReservationTarget, reservation: string): PlannedPlace | undefined {
    const { claim, node, isUsable } = targetState(this.#cluster, target);
    // Nothing is planned any longer for what is going away; what is not seen yet may be about to come.
    if (isLeaving(claim, node)) return undefined;
    return { nodeName: node?.name, ready: isUsable, reservation };
  }
}

function isWithin(asked: Amounts, held: Amounts): boolean {
  return asked.columns.every((column, index) => {
    const at = held.columns.indexOf(column);
    return at >= 0 && (asked.values[index] ?? 0) <= (held.values[at] ?? 0);
  });
}

/** What the whole entry counts for. */
function timesOf(room: EntryRoom): readonly Amounts[] {
  return Array.from({ length: room.left }, () => room.amounts);
}
