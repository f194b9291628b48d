/** Writes Decisions. */
import { decodeDecision, encodeDecision } from '../../../apis/berth/decision.js';
import type { DecisionWriter } from '../../../ports/kube-writer.js';
import { MERGE_PATCH } from '../transport/index.js';
import { collectionPath, objectPath, remove, write, type ApiClient } from './api-object.js';

const DECISIONS = collectionPath('berth.sh/v1', 'decisions');

export function decisionWriter(client: ApiClient): DecisionWriter {
  return {
    createDecision: (name, spec, signal) => {
      const body = encodeDecision({ name, spec, outcome: '' });
      const operation = `create decisions/${name}`;
      return write(client, { method: 'POST', path: DECISIONS, body, operation, signal }, decodeDecision);
    },

    putDecisionOutcome: ({ name, resourceVersion }, outcome, signal) => {
      const request = {
        method: 'PATCH',
        path: objectPath(DECISIONS, name, 'status'),
        contentType: MERGE_PATCH,
        body: { metadata: { resourceVersion }, status: { outcome: outcome === '' ? null : outcome } },
        operation: `patch decisions/${name}/status`,
        signal,
      } as const;
      return write(client, request, decodeDecision);
    },

    deleteDecision: ({ name, uid }, signal) =>
      remove(client, {
        path: objectPath(DECISIONS, name),
        operation: `delete decisions/${name}`,
        preconditions: { uid },
        signal,
      }),
  };
}
