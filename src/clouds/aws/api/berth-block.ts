/** The `berth:` block of an EC2NodeClass: all that Berth adds to Karpenter's object. */
import * as z from 'zod';
import { isVolumeSize } from './volume-size.js';

export const nodeClassBerthBlock = z
  .strictObject({
    apiVersion: z.literal('berth.sh/v1').describe('Version of this block. Default: berth.sh/v1.').optional(),
    maxVolumeSize: z
      .string()
      .refine(isVolumeSize, 'must be a size such as 500Gi or 1Ti, at most 64T')
      .describe(
        'Maximum size of the root volume for pods that request more ephemeral-storage than volumeSize provides. Default: volumeSize, as in Karpenter.',
      )
      .optional(),
  })
  .describe(
    "What Berth adds to Karpenter's EC2NodeClass. Without this block the document is a valid Karpenter object.",
  );
