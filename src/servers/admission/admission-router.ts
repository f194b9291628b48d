/** The routes that kube-apiserver calls before it stores pods and policy ConfigMaps. */
import { readPolicyConfigMap, type ReadPolicyConfigMap } from '../../apis/berth/read-policy-config-map.js';
import { Router, type RequestHandler } from 'express';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { jsonBody } from '../http/json-body.js';
import { POD_REVIEW_SIZE, POLICY_REVIEW_SIZE } from '../http/limits.js';
import type { Refusals } from '../http/refusals.js';
import { readReview, reviewOf, type AdmissionAnswer, type AdmissionRequest } from './admission-review.js';
import { mutatePods } from './mutate-pods.js';
import { PoliciesInForce } from './policies-in-force.js';
import { validatePolicies } from './validate-policies.js';

export interface AdmissionMetrics {
  readonly admissionRequests: {
    inc(labels: { readonly webhook: string; readonly outcome: string }): void;
  };
  readonly admissionDuration: { observe(labels: { readonly webhook: string }, seconds: number): void };
}

export interface AdmissionOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: AdmissionMetrics;
  readonly refusals: Refusals;
  /** Berth's own namespace. */
  readonly namespace: string;
  /** On this thread unless given. */
  readonly readPolicies?: ReadPolicyConfigMap | undefined;
}

/** POST /mutate-pods and /validate-policies. Neither writes anything, so a dry run is a run. */
export function admissionRouter(options: AdmissionOptions): Router {
  const { cluster, clock, refusals, namespace, readPolicies = readHere } = options;
  const policies = new PoliciesInForce(cluster);
  const router = Router();
  const pods = { cluster, policies, clock, namespace };
  router.post(
    '/mutate-pods',
    jsonBody({ ...POD_REVIEW_SIZE, clock, refusals }),
    answering('mutate-pods', (request) => mutatePods(request, pods), options),
  );
  const documents = { cluster, policies, namespace, readPolicies };
  router.post(
    '/validate-policies',
    jsonBody({ ...POLICY_REVIEW_SIZE, clock, refusals }),
    answering('validate-policies', (request) => validatePolicies(request, documents), options),
  );
  return router;
}

const readHere: ReadPolicyConfigMap = (object) => Promise.resolve(readPolicyConfigMap(object));

/** Answers with what `decide` says. Should it break, the object goes through as it is: a webhook must not stop a cluster. */
function answering(
  webhook: string,
  decide: (request: AdmissionRequest) => AdmissionAnswer | Promise<AdmissionAnswer>,
  { clock, logger, metrics, refusals }: AdmissionOptions,
): RequestHandler {
  const decideOrAllow = async (request: AdmissionRequest): Promise<AdmissionAnswer> => {
    try {
      return await decide(request);
    } catch (error) {
      logger.error('Webhook failed; admitted the object', { webhook, uid: request.uid, error });
      return { outcome: 'error' };
    }
  };
  return (request, response, next) => {
    const start = clock.monotonic();
    const review = readReview(request.body);
    if (typeof review === 'string') {
      refusals.answer(response, 'not-a-review', review);
      return;
    }
    decideOrAllow(review).then((answer) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(reviewOf(review.uid, answer)));
      metrics.admissionRequests.inc({ webhook, outcome: answer.outcome });
      metrics.admissionDuration.observe({ webhook }, (clock.monotonic() - start) / 1000);
    }, next);
  };
}
