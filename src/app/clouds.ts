/** The clouds of this program, one row each. Importing this page makes documents of their node classes readable. */
import type { NodeClassCodec } from '../apis/node-class/node-class-codec.js';
import { registerNodeClasses } from '../apis/node-class/node-class-codecs.js';
import { ec2NodeClassCodec } from '../clouds/aws/api/codec.js';
import { isAutoModeClass, withAutoModeLabels } from '../clouds/aws/api/auto-mode.js';
import { groupOf, nodePoolsOfGroups } from '../clouds/aws/api/node-groups.js';
import { AWS_OPTIONS } from '../clouds/aws/options.js';
import { kwokNodeClassCodec } from '../clouds/kwok/kwok-node-class.js';
import { KWOK_OPTIONS } from '../clouds/kwok/options.js';
import type { ManagedKarpenter } from '../controllers/observing/observed-catalogue.js';
import type { NodeGroups } from '../controllers/observing/observed-pools.js';
import type { CloudOption, CloudProvider } from '../runtime/process/cloud-provider.js';

export interface CloudRow {
  readonly nodeClass: NodeClassCodec;
  readonly options: readonly CloudOption[];
  /** undefined where there are none. */
  readonly nodeGroups?: NodeGroups;
  /** undefined where there is none. */
  readonly managedKarpenter?: ManagedKarpenter;
  /** Loaded only for the cloud that is chosen. */
  readonly load: () => Promise<{ readonly provider: CloudProvider }>;
}

const ROWS: Readonly<Record<string, CloudRow>> = {
  aws: {
    nodeClass: ec2NodeClassCodec,
    options: AWS_OPTIONS,
    nodeGroups: { nodePools: nodePoolsOfGroups, groupOf },
    managedKarpenter: { isOwn: isAutoModeClass, withOwnLabels: withAutoModeLabels },
    load: () => import('../clouds/aws/provider.js'),
  },
  kwok: {
    nodeClass: kwokNodeClassCodec,
    options: KWOK_OPTIONS,
    load: () => import('../clouds/kwok/provider.js'),
  },
};

/** By name, as `--cloud` takes it. */
export const CLOUDS: ReadonlyMap<string, CloudRow> = new Map(Object.entries(ROWS));

registerNodeClasses([...CLOUDS.values()].map(({ nodeClass }) => nodeClass));
