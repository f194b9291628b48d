/** KWOKNodeClass of karpenter.kwok.sh/v1alpha1, the node class of Karpenter's KWOK provider: what its nodes keep from pods. */
import * as z from 'zod';
import type { NodeClass } from '../../domain/policies/node-class.js';
import type { ResourceList } from '../../domain/values/resources.js';
import { resourceListOf, textAmounts } from '../../apis/fields/amount.js';
import { envelope } from '../../apis/fields/metadata.js';
import { compact, plainMetadata } from '../../apis/fields/plain-metadata.js';
import type { NodeClassCodec, NodeClassObject } from '../../apis/node-class/node-class-codec.js';

const GROUP = 'karpenter.kwok.sh';
const KIND = 'KWOKNodeClass';
const VERSION = `${GROUP}/v1alpha1`;

const spec = z
  .strictObject({
    maxPods: z
      .int()
      .min(0)
      .describe('Maximum number of pods on a node. Default: that of the instance type.')
      .optional(),
    nodeRegistrationDelay: z
      .string()
      .regex(/^([0-9]+(s|m|h))+$/, 'must be a duration such as 30s or 1m30s')
      .describe('Ignored: nodes are created as soon as they are launched.')
      .optional(),
    reservedResources: textAmounts(
      ['cpu', 'memory', 'ephemeral-storage', 'pid'],
      'Resources of a node that pods cannot use: cpu, memory, ephemeral-storage, pid. Default: cpu 100m, memory 10Mi.',
    ).optional(),
  })
  .describe('What nodes leave to pods.');

const kwokNodeClassV1Alpha1 = z
  .strictObject({ ...envelope(VERSION, KIND), spec: spec.optional() })
  .describe('How KWOK nodes are created. A class without a spec is enough.');

/** What a node class says of the room on its nodes. */
export interface KwokSettings {
  readonly maxPods: number | undefined;
  readonly reserved: ResourceList;
}

/** A KWOKNodeClass, decoded. */
export interface KwokNodeClass extends NodeClass {
  readonly kind: typeof KIND;
  readonly settings: KwokSettings;
}

/** As Karpenter's provider has it. */
const USUALLY_RESERVED = { cpu: '100m', memory: '10Mi' };

export function isKwokNodeClass(nodeClass: NodeClass): nodeClass is KwokNodeClass {
  return nodeClass.kind === KIND;
}

function toKwokNodeClass({
  metadata,
  spec: given = {},
}: z.output<typeof kwokNodeClassV1Alpha1>): KwokNodeClass {
  const { maxPods, reservedResources = USUALLY_RESERVED } = given;
  return {
    kind: KIND,
    name: metadata.name,
    template: { ...(maxPods !== undefined && { maxPods }), reservedResources },
    secretFields: [],
    settings: { maxPods, reserved: resourceListOf(reservedResources) },
  };
}

export const kwokNodeClassCodec: NodeClassCodec = {
  group: GROUP,
  kind: KIND,
  versions: [
    {
      apiVersion: VERSION,
      kind: KIND,
      names: ['kwoknodeclass', 'kwoknodeclasses', 'kwoknc', 'kwokncs'],
      schema: kwokNodeClassV1Alpha1,
      toCurrent: (value: unknown): NodeClassObject => {
        const object = value as z.input<typeof kwokNodeClassV1Alpha1>;
        const { apiVersion, kind, metadata, spec: given = {} } = object;
        return compact({ apiVersion, kind, metadata: plainMetadata(metadata), spec: given });
      },
    },
  ],
  decode: (object) => toKwokNodeClass(kwokNodeClassV1Alpha1.parse(object)),
};
