/** EC2's protocol: a form in, XML of 2016-11-15 out. */
import type { ServiceError } from '../model/service-error.js';
import { QueryNode } from './query.js';
import type { Protocol } from './service.js';
import { toXml, type XmlStructure } from './xml.js';

const NAMESPACE = 'http://ec2.amazonaws.com/doc/2016-11-15/';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** An output that brings its own requestId is a replay, and keeps it. */
export const ec2Query: Protocol<QueryNode, XmlStructure> = {
  read: ({ body }) => QueryNode.parse(body),
  answer: (action, output, requestID) => {
    const own = output['requestId'];
    const requestId = typeof own === 'string' ? own : requestID;
    const content = toXml({ requestId, ...output }, 'item');
    return {
      status: 200,
      headers: headers(requestId),
      body: `${DECLARATION}<${action}Response xmlns="${NAMESPACE}">${content}</${action}Response>`,
    };
  },
  refuse: ({ code, message, status }: ServiceError, requestID) => ({
    status,
    headers: headers(requestID),
    body:
      DECLARATION +
      `<Response><Errors>${toXml({ Error: { Code: code, Message: message } }, 'item')}</Errors>` +
      `<RequestID>${requestID}</RequestID></Response>`,
  }),
};

function headers(requestID: string): Readonly<Record<string, string>> {
  return { 'content-type': 'text/xml;charset=UTF-8', 'x-amzn-requestid': requestID };
}
