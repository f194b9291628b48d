/** What all of Berth's HTTP servers are made of. */
export { httpApp } from './http-app.js';
export { bodyBytes, jsonBody } from './json-body.js';
export { EXTENDER_SIZE, POD_REVIEW_SIZE, POLICY_REVIEW_SIZE } from './limits.js';
export { listen, type HttpListener } from './listen.js';
export { parseJson, type ParsedJson } from './parse-json.js';
export { Refusals } from './refusals.js';
export type { TlsMaterial, TlsOptions } from './tls-options.js';
