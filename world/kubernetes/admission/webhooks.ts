/** Mutating and validating admission webhooks, as their configurations say. */
import type { Random } from '../../../src/ports/random.js';
import { CelError } from '../cel/cel-syntax.js';
import { ApiError } from '../objects/api-error.js';
import { equalJson, isObject, listAt, numberAt, objectAt, textAt, type JsonObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { AdmissionRequest, WebhookAdmission } from '../operations/admission.js';
import { newUid } from '../operations/names.js';
import { groupOf } from '../resources/resource-type.js';
import type { ObjectStore } from '../store/object-store.js';
import type { CallWebhook, WebhookCall } from './webhook-call.js';
import { conditionsHold, wants } from './webhook-match.js';
import { readVerdict, reviewOf, reviewRequest, type Verdict } from './webhook-review.js';

const GROUP = 'admissionregistration.k8s.io';
const MUTATING = `mutatingwebhookconfigurations.${GROUP}`;
const VALIDATING = `validatingwebhookconfigurations.${GROUP}`;
const DEFAULT_SECONDS = 10;

export class Webhooks implements WebhookAdmission {
  readonly #store: ObjectStore;
  readonly #random: Random;
  readonly #call: CallWebhook;

  constructor(options: {
    readonly store: ObjectStore;
    readonly random: Random;
    readonly callWebhook: CallWebhook | undefined;
  }) {
    this.#store = options.store;
    this.#random = options.random;
    this.#call =
      options.callWebhook ?? (() => Promise.reject(new Error('there is no way to reach webhooks')));
  }

  concerns(request: AdmissionRequest): boolean {
    return [MUTATING, VALIDATING].some((resource) => this.#concerned(resource, request).length > 0);
  }

  /** In the order of their configurations' names; who wants to be asked again is, once, when another changed something later. */
  async mutate(request: AdmissionRequest): Promise<KubeObject | undefined> {
    let { object } = request;
    const asked: { readonly webhook: JsonObject; readonly seen: KubeObject | undefined }[] = [];
    for (const webhook of this.#concerned(MUTATING, request)) {
      object = await this.#ask(webhook, { ...request, object });
      asked.push({ webhook, seen: object });
    }
    for (const { webhook, seen } of asked) {
      if (webhook['reinvocationPolicy'] !== 'IfNeeded' || equalJson(seen, object)) continue;
      object = await this.#ask(webhook, { ...request, object });
    }
    return object;
  }

  async validate(request: AdmissionRequest): Promise<void> {
    await Promise.all(this.#concerned(VALIDATING, request).map((webhook) => this.#ask(webhook, request)));
  }

  #concerned(resource: string, request: AdmissionRequest): readonly JsonObject[] {
    // They are never asked about themselves: otherwise a broken one could not be removed.
    if (groupOf(request.type) === GROUP) return [];
    const context = {
      namespaceLabels: (name: string) => this.#store.get('namespaces', undefined, name)?.metadata.labels,
    };
    return this.#store
      .list(resource)
      .flatMap((configuration) => listAt(configuration, 'webhooks'))
      .filter(isObject)
      .filter((webhook) => wants(webhook, request, context));
  }

  /** The object as this webhook wants it. */
  async #ask(webhook: JsonObject, request: AdmissionRequest): Promise<KubeObject | undefined> {
    const name = textAt(webhook, 'name');
    let verdict: Verdict | undefined;
    try {
      verdict = await this.#verdict(webhook, name, request);
    } catch (error) {
      if (error instanceof ApiError || webhook['failurePolicy'] !== 'Ignore') throw asApiError(name, error);
    }
    if (verdict === undefined) return request.object;
    for (const warning of verdict.warnings) request.warn(warning);
    if (verdict.refusal !== undefined) throw verdict.refusal;
    return verdict.object;
  }

  /** undefined: its conditions do not hold. */
  async #verdict(webhook: JsonObject, name: string, request: AdmissionRequest): Promise<Verdict | undefined> {
    const question = reviewRequest(newUid(this.#random), request);
    const { object, oldObject } = question;
    if (!conditionsHold(webhook, { object, oldObject, request: question })) return undefined;
    const seconds = numberAt(webhook, 'timeoutSeconds') || DEFAULT_SECONDS;
    const answer = await this.#call({
      client: clientOf(objectAt(webhook, 'clientConfig')),
      timeoutMillis: seconds * 1000,
      review: reviewOf(question),
    });
    return readVerdict(name, answer, question, request.object);
  }
}

function clientOf(config: JsonObject): WebhookCall['client'] {
  const caBundle = textAt(config, 'caBundle');
  const url = textAt(config, 'url');
  const service = config['service'];
  return {
    ...(caBundle !== '' && { caBundle }),
    ...(url !== '' && { url }),
    ...(isObject(service) && {
      service: {
        namespace: textAt(service, 'namespace'),
        name: textAt(service, 'name'),
        path: textAt(service, 'path') || '/',
        port: numberAt(service, 'port') || 443,
      },
    }),
  };
}

function asApiError(webhook: string, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const why = error instanceof Error ? error.message : String(error);
  const failed = error instanceof CelError ? 'failed evaluating match conditions' : 'failed to call webhook';
  const message = `Internal error occurred: failed calling webhook ${JSON.stringify(webhook)}: ${failed}: ${why}`;
  return new ApiError(500, 'InternalError', message, {
    causes: [{ reason: 'UnexpectedServerResponse', message: why }],
  });
}
