/** What the embedded world is called, as the examples expect it. */

/** Where the examples live. */
export const REGION = 'eu-west-3';
/** By the tag karpenter.sh/discovery the examples find its subnets and security groups. */
export const CLUSTER_NAME = 'berth-demo';
export const QUEUE_NAME = 'berth-demo';
