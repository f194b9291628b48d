/** The JSON protocols: AWS JSON 1.0 (SQS), 1.1 (SSM, Pricing) and REST-JSON (EKS). */
import type { ServiceError } from '../model/service-error.js';
import { JsonInput } from './json.js';
import type { Protocol } from './service.js';

export interface JsonDialect {
  readonly contentType: string;
  /** What stands before the error's name in `__type`. */
  readonly errorNamespace: string;
  /** The older name of an error, for clients that knew the service's query protocol; undefined when there was none. */
  readonly queryCode?: ((code: string) => string) | undefined;
}

export const JSON_1_1: JsonDialect = { contentType: 'application/x-amz-json-1.1', errorNamespace: '' };
export const REST_JSON: JsonDialect = { contentType: 'application/json', errorNamespace: '' };

/** undefined members are left out; an empty output is `{}`. */
export function awsJson(dialect: JsonDialect): Protocol<JsonInput, object> {
  return {
    read: ({ body }) => JsonInput.parse(body),
    answer: (_, output, requestID) => ({
      status: 200,
      headers: { 'content-type': dialect.contentType, 'x-amzn-requestid': requestID },
      body: JSON.stringify(output),
    }),
    refuse: ({ code, message, status }: ServiceError, requestID) => ({
      status,
      headers: {
        'content-type': dialect.contentType,
        'x-amzn-requestid': requestID,
        'x-amzn-errortype': code,
        ...(dialect.queryCode && {
          'x-amzn-query-error': `${dialect.queryCode(code)};${status < 500 ? 'Sender' : 'Receiver'}`,
        }),
      },
      body: JSON.stringify({ __type: dialect.errorNamespace + code, message }),
    }),
  };
}
