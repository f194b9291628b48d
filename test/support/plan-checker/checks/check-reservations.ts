/** Whether no capacity reservation is used more often than it has instances, whatever claims turn into. */
import type { FinalState } from '../final-state.js';
import type { Findings } from '../violation.js';

const RESERVATION_ID = 'karpenter.k8s.aws/capacity-reservation-id';

export function checkReservations({ input, targets }: FinalState, findings: Findings): void {
  const counts = new Map(
    input.pools.flatMap(({ instanceTypes = [], dedicatedTypes = [] }) =>
      [...instanceTypes, ...dedicatedTypes].flatMap(({ offerings }) =>
        offerings.flatMap(({ reservation }) =>
          reservation === undefined ? [] : [[reservation.id, reservation.count] as const],
        ),
      ),
    ),
  );
  const used = new Map<string, number>();
  for (const { claim, landings } of targets) {
    const chosen = claim?.chosenLabels.get(RESERVATION_ID);
    const possible = new Set(landings.flatMap(({ launch }) => launch?.offering.reservation?.id ?? []));
    // A claim that names one is launched into no other.
    const ids = chosen === undefined ? possible : [chosen];
    if (claim !== undefined && chosen !== undefined && !possible.has(chosen))
      findings.add('offer', claim.name, `is for ${chosen}, which none of its offerings has`);
    for (const id of ids) used.set(id, (used.get(id) ?? 0) + 1);
  }
  for (const [id, number] of used) {
    const count = counts.get(id) ?? 0;
    if (number > count)
      findings.add('limits', id, `has ${String(count)} instances, ${String(number)} are planned`);
  }
}
