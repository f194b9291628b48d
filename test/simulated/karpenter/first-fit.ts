/** Packing as a simple autoscaler does it, in arithmetic of its own: so that nothing of Berth's planning is its own judge. */

/** Millicores, MiB and pods. */
export interface Room {
  readonly cpu: number;
  readonly memory: number;
  readonly pods: number;
}

export interface Offer {
  readonly instanceType: string;
  readonly room: Room;
  /** USD/h, on demand. */
  readonly price: number;
}

export interface PodSize {
  readonly uid: string;
  readonly room: Room;
}

export interface Bin {
  readonly uids: readonly string[];
  readonly used: Room;
  /** Those that hold all its pods, cheapest first. */
  readonly offers: readonly Offer[];
}

export const NO_ROOM: Room = { cpu: 0, memory: 0, pods: 0 };

export function plus(left: Room, right: Room): Room {
  return { cpu: left.cpu + right.cpu, memory: left.memory + right.memory, pods: left.pods + right.pods };
}

export function fits(used: Room, room: Room): boolean {
  return used.cpu <= room.cpu && used.memory <= room.memory && used.pods <= room.pods;
}

/** First fit, largest first: a pod joins the first bin that some offer holds with it, as Karpenter's scheduler does. */
export function packed(
  pods: readonly PodSize[],
  offers: readonly Offer[],
  mostPerBin: number,
): readonly Bin[] {
  const cheapestFirst = [...offers].sort((left, right) => left.price - right.price);
  const bins: Bin[] = [];
  const largestFirst = [...pods].sort(
    (left, right) =>
      right.room.cpu - left.room.cpu ||
      right.room.memory - left.room.memory ||
      (left.uid < right.uid ? -1 : 1),
  );
  for (const pod of largestFirst) {
    const place = bins.findIndex((bin) => bin.uids.length < mostPerBin && holding(bin, pod).length > 0);
    const bin = bins[place] ?? { uids: [], used: NO_ROOM, offers: cheapestFirst };
    const left = holding(bin, pod);
    if (left.length === 0) continue;
    const grown = { uids: [...bin.uids, pod.uid], used: plus(bin.used, pod.room), offers: left };
    if (place === -1) bins.push(grown);
    else bins[place] = grown;
  }
  return bins;
}

function holding({ used, offers }: Bin, { room }: PodSize): readonly Offer[] {
  const more = plus(used, room);
  return offers.filter((offer) => fits(more, offer.room));
}
