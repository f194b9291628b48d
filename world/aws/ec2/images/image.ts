/** A machine image (AMI) as the simulator keeps it. */
import type { Labels } from '../../../../src/domain/values/labels.js';

export interface SimulatedImage {
  /** `ami-0…`. */
  readonly id: string;
  readonly name: string;
  /** As EC2 spells it. */
  readonly architecture: 'x86_64' | 'arm64';
  readonly ownerID: string;
  /** `amazon`, or undefined for an account's own. */
  readonly ownerAlias: string | undefined;
  readonly isWindows: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly tags: Labels;
}
