/** When a cloud takes the instances of capacity reservations back, as a port. */

/** Nodes of a reservation are drained so long before, as in Karpenter. */
export const RESERVATION_WARNING_MILLIS = 600_000;

export interface ReservationEnds {
  /**
   * Reservation → when the cloud begins to terminate its instances, in milliseconds since 1970. Those whose instances stay, and
   * those that the cloud does not know, are not named.
   * @throws PortError
   */
  of(ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, number>>;
}
