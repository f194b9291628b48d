/** The protocol of IAM and STS: a form in, XML out. */
import { QueryNode } from './query.js';
import type { Protocol } from './service.js';
import { toXml, type XmlStructure } from './xml.js';

export const iamQuery = formQuery('https://iam.amazonaws.com/doc/2010-05-08/');
export const stsQuery = formQuery('https://sts.amazonaws.com/doc/2011-06-15/');

function formQuery(namespace: string): Protocol<QueryNode, XmlStructure> {
  return {
    read: ({ body }) => QueryNode.parse(body),
    answer: (action, output, requestID) => {
      const result = Object.keys(output).length > 0 ? { [`${action}Result`]: output } : {};
      const content = toXml({ ...result, ResponseMetadata: { RequestId: requestID } }, 'member');
      return {
        status: 200,
        headers: headers(requestID),
        body: `<${action}Response xmlns="${namespace}">${content}</${action}Response>`,
      };
    },
    refuse: ({ code, message, status }, requestID) => {
      const error = { Type: status < 500 ? 'Sender' : 'Receiver', Code: code, Message: message };
      const content = toXml({ Error: error, RequestId: requestID }, 'member');
      return {
        status,
        headers: headers(requestID),
        body: `<ErrorResponse xmlns="${namespace}">${content}</ErrorResponse>`,
      };
    },
  };
}

function headers(requestID: string): Readonly<Record<string, string>> {
  return { 'content-type': 'text/xml', 'x-amzn-requestid': requestID };
}
