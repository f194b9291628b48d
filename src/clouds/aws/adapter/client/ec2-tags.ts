/** Tags as EC2's calls take them. */
import type { Tag } from '@aws-sdk/client-ec2';
import type { Labels } from '../../../../domain/values/labels.js';

/** By key, so that the same tags make the same call; later maps win. */
export function ec2Tags(...maps: readonly (Labels | undefined)[]): Tag[] {
  const all = new Map(maps.flatMap((map) => [...(map ?? [])]));
  return [...all].sort(([left], [right]) => (left < right ? -1 : 1)).map(([Key, Value]) => ({ Key, Value }));
}
