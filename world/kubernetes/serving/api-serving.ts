/** The API server over HTTP: finds out what a request is about, and turns refusals into Statuses. */
import { ApiError, methodNotAllowed, noSuchResource } from '../objects/api-error.js';
import { objectAt } from '../objects/json.js';
import type { CollectorOptions } from '../operations/garbage-collector.js';
import type { Subresources } from '../operations/subresources.js';
import type { WireAnswer, WireRequest } from '../../wire/wire.js';
import { KUBERNETES_VERSION } from './version.js';
import { errorAnswer, jsonAnswer, textAnswer, withWarnings } from './answers.js';
import { parseResourcePath, readObject } from './api-request.js';
import {
  aggregatedDiscovery,
  apiGroupList,
  apiGroupOf,
  apiResourceList,
  apiVersions,
  REVIEWS,
} from './discovery.js';
import { isAllowed } from './access-review.js';
import { ListMoments } from './list-moments.js';
import { openApiIndex, openApiOf } from './open-api.js';
import { ResourceVerbs, type ResourceCall } from './resource-verbs.js';
import { SubresourceVerbs } from './subresource-verbs.js';
import { Watching } from './watching.js';

export interface ServingOptions extends CollectorOptions {
  readonly subresources: Subresources;
}

const VERSION = {
  major: '1',
  minor: '36',
  gitVersion: `${KUBERNETES_VERSION}+simulated`,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-07-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'simulated',
};
const HEALTH = /^\/(healthz|livez|readyz)(\/.*)?$/;
const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const AGGREGATED = /g=apidiscovery\.k8s\.io;v=(v2(?:beta1)?);as=APIGroupDiscoveryList/;
/** What kubectl asks for with OpenAPI v2; an empty document has no bytes. */
const OPEN_API_V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

export class ApiServing {
  readonly #options: ServingOptions;
  readonly #watching: Watching;
  readonly #moments: ListMoments;
  readonly #verbs: ResourceVerbs;
  readonly #subresources: SubresourceVerbs;

  constructor(options: ServingOptions) {
    this.#options = options;
    this.#watching = new Watching(options.store, options.clock);
    this.#moments = new ListMoments(options.clock);
    const parts = { ...options, watching: this.#watching, moments: this.#moments };
    this.#verbs = new ResourceVerbs(parts);
    this.#subresources = new SubresourceVerbs(parts);
  }

  async handle(request: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
    const warnings: string[] = [];
    try {
      const url = new URL(request.path, 'http://localhost');
      const path = parseResourcePath(url.pathname);
      const answer =
        path === undefined
          ? this.#answerOther(request, url)
          : await this.#answerResource({
              request,
              query: url.searchParams,
              path,
              signal,
              warn: (text) => warnings.push(text),
            });
      return this.#dated(withWarnings(answer, warnings));
    } catch (error) {
      return this.#dated(withWarnings(errorAnswer(error), warnings));
    }
  }

  #dated(answer: WireAnswer): WireAnswer {
    const date = new Date(this.#options.clock.now()).toUTCString();
    return { ...answer, headers: { ...answer.headers, date } };
  }

  closeWatches(): void {
    this.#watching.closeAll();
  }

  forgetLists(): void {
    this.#moments.forget();
  }

  async #answerResource(call: Omit<ResourceCall, 'resource'>): Promise<WireAnswer> {
    const { group, version, plural, name, subresource } = call.path;
    const review = REVIEWS.find(
      ([apiVersion, each]) => apiVersion === `${group}/${version}` && each === plural,
    );
    if (review !== undefined) return reviewed(call.request, review, this.#options.store);
    const resource = this.#options.registry.at(group, version, plural);
    if (resource === undefined) throw noSuchResource();
    const whole = { ...call, resource };
    if (name === undefined) return this.#verbs.collection(whole);
    const hasStatus = subresource === 'status' && resource.type.hasStatus;
    if (subresource === '' || hasStatus) return this.#verbs.object(whole, name);
    return this.#subresources.answer(whole, name);
  }

  #answerOther(request: WireRequest, { pathname }: URL): WireAnswer {
    if (request.method !== 'GET') throw methodNotAllowed(request.method);
    const { registry } = this.#options;
    if (HEALTH.test(pathname)) return textAnswer(200, 'ok');
    switch (pathname) {
      case '/version':
        return jsonAnswer(200, VERSION);
      case '/':
        return jsonAnswer(200, {
          paths: [
            '/api',
            '/api/v1',
            '/apis',
            '/healthz',
            '/livez',
            '/openapi/v2',
            '/openapi/v3',
            '/readyz',
            '/version',
          ],
        });
      case '/openapi/v2':
        return openApiV2(request);
      case '/openapi/v3':
        return jsonAnswer(200, openApiIndex(registry));
      case '/api':
      case '/apis':
        return this.#groups(request, pathname === '/api');
      default:
        return this.#described(pathname);
    }
  }

  #groups({ headers }: WireRequest, isCore: boolean): WireAnswer {
    const { registry } = this.#options;
    const version = AGGREGATED.exec(headers['accept'] ?? '')?.[1];
    if (version === undefined) return jsonAnswer(200, isCore ? apiVersions() : apiGroupList(registry));
    const list = aggregatedDiscovery(registry, isCore, `apidiscovery.k8s.io/${version}`);
    return jsonAnswer(
      200,
      list,
      `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
    );
  }

  /** Of one group, or one of its versions. */
  #described(pathname: string): WireAnswer {
    const { registry, store } = this.#options;
    const isSchema = pathname.startsWith('/openapi/v3/');
    const parts = pathname
      .split('/')
      .filter((part) => part !== '')
      .slice(isSchema ? 2 : 0);
    const [root, first = '', second] = parts;
    const group = root === 'api' ? '' : first;
    const version = root === 'api' ? first : second;
    if (root !== 'api' && root !== 'apis') throw noSuchResource();
    const found = isSchema
      ? openApiOf(registry, { group, version: version ?? '' }, store.list(DEFINITIONS))
      : version === undefined
        ? apiGroupOf(registry, group)
        : apiResourceList(registry, group, version);
    if (found === undefined) throw noSuchResource();
    return jsonAnswer(200, found);
  }
}

function openApiV2({ headers }: WireRequest): WireAnswer {
  if ((headers['accept'] ?? '').includes('proto-openapi'))
    return { status: 200, headers: { 'content-type': OPEN_API_V2 }, body: '' };
  return jsonAnswer(200, {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: VERSION.gitVersion },
    paths: {},
  });
}

/** Every client may do everything here; what another user may is what roles and their bindings allow. */
function reviewed(
  request: WireRequest,
  [apiVersion, , kind]: ResourceReview,
  store: ServingOptions['store'],
): WireAnswer {
  if (request.method !== 'POST') throw new ApiError(405, 'MethodNotAllowed', `${kind} can only be created`);
  const review = readObject(request);
  const user = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
  const allowed = kind !== 'SubjectAccessReview' || isAllowed(store, objectAt(review, 'spec'));
  const status = kind === 'SelfSubjectReview' ? { userInfo: user } : { allowed };
  return jsonAnswer(201, { ...review, apiVersion, kind, metadata: objectAt(review, 'metadata'), status });
}

type ResourceReview = (typeof REVIEWS)[number];
