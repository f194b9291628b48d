/** The operations of the Cloud port by name, with their arguments in a list: what goes over the wire. */
import type { Cloud } from '../../ports/cloud.js';

type Operation = (cloud: Cloud, parameters: readonly unknown[], signal: AbortSignal) => Promise<unknown>;

/** The arguments come from RemoteMemoryCloud, which is this file's counterpart, and are trusted. */
export const CLOUD_OPERATIONS = {
  resolveNodeClass: (cloud, [source], signal) =>
    cloud.resolveNodeClass(source as First<'resolveNodeClass'>, signal),
  prepareLaunch: (cloud, [intent], signal) => cloud.prepareLaunch(intent as First<'prepareLaunch'>, signal),
  launch: (cloud, [call], signal) => cloud.launch(call as First<'launch'>, signal),
  machines: (cloud, [tags], signal) => cloud.machines(tags as First<'machines'>, signal),
  tagMachines: (cloud, [ids, tags], signal) =>
    cloud.tagMachines(ids as First<'tagMachines'>, tags as First<'machines'>, signal),
  terminate: (cloud, [ids], signal) => cloud.terminate(ids as First<'terminate'>, signal),
} satisfies Readonly<Record<keyof Cloud, Operation>>;

export type CloudOperations = typeof CLOUD_OPERATIONS;

type First<K extends keyof Cloud> = Parameters<Cloud[K]>[0];
