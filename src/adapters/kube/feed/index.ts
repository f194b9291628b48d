/** How what is in the cluster becomes known. */
export { kubeFeed, type FeedCounters, type KubeFeed } from './kube-feed.js';
