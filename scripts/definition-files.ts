/** Berth's own kinds, as `make generate` writes their CustomResourceDefinitions. */
import { decisionKind } from '../src/apis/berth/decision.js';
import type { JsonObject } from '../src/domain/policies/policy.js';
import { nodeClaimKind } from '../src/apis/berth/node-claim.js';
import { policyStatusKind } from '../src/apis/berth/policy-status.js';
import { reservationKind } from '../src/apis/berth/reservation.js';

/** A CustomResourceDefinition and its file in manifests/crds. */
export interface DefinitionFile {
  readonly name: string;
  /** The comment that it opens with. */
  readonly about: string;
  readonly definition: JsonObject;
}

export const DEFINITION_FILES: readonly DefinitionFile[] = [
  { name: 'node-claims.yaml', ...fileOf(nodeClaimKind) },
  { name: 'reservations.yaml', ...fileOf(reservationKind) },
  { name: 'policy-statuses.yaml', ...fileOf(policyStatusKind) },
  { name: 'decisions.yaml', ...fileOf(decisionKind) },
];

function fileOf({
  options,
  definition,
}: {
  readonly options: { readonly about: string };
  readonly definition: JsonObject;
}): Omit<DefinitionFile, 'name'> {
  return { about: options.about, definition };
}
