/** The options that `--cloud kwok` takes. */
import type { CloudOption } from '../../runtime/process/cloud-provider.js';

export const INSTANCE_TYPES_KEY = 'kwokInstanceTypes';
export const INSTANCE_TYPES_FLAG = 'kwok-instance-types';

export const KWOK_OPTIONS: readonly CloudOption[] = [
  {
    key: INSTANCE_TYPES_KEY,
    flag: {
      name: INSTANCE_TYPES_FLAG,
      value: 'FILE',
      help: 'instance types and prices of KWOK nodes, JSON (default: a generated list)',
    },
    env: 'BERTH_KWOK_INSTANCE_TYPES',
    fallback: undefined,
    isAddress: true,
    parse: (text) => text,
  },
];
