/** The host's chance: from the operating system's generator, so that names and jitter of replicas differ. */
import { randomBytes } from 'node:crypto';
import type { Random } from '../../ports/random.js';

const TWO_TO_THE_48 = 2 ** 48;

export const systemRandom: Random = {
  next: () => randomBytes(6).readUIntBE(0, 6) / TWO_TO_THE_48,
  hex: (length) =>
    randomBytes(Math.ceil(length / 2))
      .toString('hex')
      .slice(0, length),
};
