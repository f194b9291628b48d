/** The parts that every document has: apiVersion, kind, metadata, status. */
import * as z from 'zod';
import { isLabelValue } from '../../domain/values/labels.js';
import { annotations, anyLabels } from './label-map.js';

const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

const name = z
  .string()
  .refine(
    (text) => DNS_SUBDOMAIN.test(text) && isLabelValue(text),
    'must be at most 63 lower-case letters, digits, - and ., starting and ending with a letter or digit',
  )
  .describe(
    'Name of the object, unique for its kind. It also becomes the value of a label, so it has at most 63 characters.',
  );

const system = (description: string): z.ZodOptional<z.ZodUnknown> =>
  z.unknown().describe(description).optional();

const metadata = z
  .strictObject({
    name,
    labels: anyLabels("The object's own labels, not those of nodes.").optional(),
    annotations: annotations("The object's own annotations.").optional(),
    namespace: z.string().describe('Ignored: the object belongs to the whole cluster.').optional(),
    generateName: system('Ignored: a name is needed.'),
    uid: system('Set by the API server; ignored.'),
    resourceVersion: system('Set by the API server; ignored.'),
    generation: system('Set by the API server; ignored.'),
    creationTimestamp: system('Set by the API server; ignored.'),
    deletionTimestamp: system(
      'Set by the API server. berth plan plans nothing for a NodePool that has it, or whose EC2NodeClass has it; it is ignored otherwise.',
    ),
    deletionGracePeriodSeconds: system('Set by the API server; ignored.'),
    selfLink: system('Set by old API servers; ignored.'),
    finalizers: system('Ignored.'),
    ownerReferences: system('Ignored.'),
    managedFields: system('Set by the API server; ignored.'),
  })
  .describe('Name, labels and annotations of the object.');

/** metadata, decoded. */
export type EnvelopeMetadata = z.output<typeof metadata>;

/** apiVersion, kind, metadata and status of a kind. */
export interface Envelope<V extends string, K extends string> {
  readonly apiVersion: z.ZodLiteral<V>;
  readonly kind: z.ZodLiteral<K>;
  readonly metadata: typeof metadata;
  readonly status: z.ZodOptional<z.ZodUnknown>;
}

/** The fields around the spec. */
export function envelope<V extends string, K extends string>(apiVersion: V, kind: K): Envelope<V, K> {
  return {
    apiVersion: z.literal(apiVersion).describe('Version of the schema that the document follows.'),
    kind: z.literal(kind).describe('Kind of the object.'),
    metadata,
    status: z.unknown().describe('What a controller last reported; ignored.').optional(),
  };
}
