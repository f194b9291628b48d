/** What the other folders of this room use to speak to the API server. */
export type { KubeConnectionSource } from './connection.js';
export type { Send } from './exchange.js';
export { KubeClient, type KubeExchange, type KubeRequest, type RefuseChange } from './kube-client.js';
export { KubeconfigSource } from './kubeconfig-source.js';
export { refuseObserversChanges } from './observer-changes.js';
export { Reflector } from './watch/reflector.js';
export type {
  ReflectedResource,
  ReflectorCounter,
  ReflectorHealth,
  ReflectorSink,
  ReflectorTiming,
} from './watch/reflector-options.js';
export { FIELD_MANAGER, JSON_PATCH, MERGE_PATCH, pathSegment } from './write-formats.js';
