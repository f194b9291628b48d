/** IAM's protocol: a form in, XML of 2010-05-08 out. */
import { QueryNode } from './query.js';
import type { Protocol } from './service.js';
import { toXml, type XmlStructure } from './xml.js';

const NAMESPACE = 'https://iam.amazonaws.com/doc/2010-05-08/';

export const iamQuery: Protocol<QueryNode, XmlStructure> = {
  read: ({ body }) => QueryNode.parse(body),
  answer: (action, output, requestID) => {
    const result = Object.keys(output).length > 0 ? { [`${action}Result`]: output } : {};
    const content = toXml({ ...result, ResponseMetadata: { RequestId: requestID } }, 'member');
    return {
      status: 200,
      headers: headers(requestID),
      body: `<${action}Response xmlns="${NAMESPACE}">${content}</${action}Response>`,
    };
  },
  refuse: ({ code, message, status }, requestID) => {
    const error = { Type: status < 500 ? 'Sender' : 'Receiver', Code: code, Message: message };
    const content = toXml({ Error: error, RequestId: requestID }, 'member');
    return {
      status,
      headers: headers(requestID),
      body: `<ErrorResponse xmlns="${NAMESPACE}">${content}</ErrorResponse>`,
    };
  },
};

function headers(requestID: string): Readonly<Record<string, string>> {
  return { 'content-type': 'text/xml', 'x-amzn-requestid': requestID };
}
