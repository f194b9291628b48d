/** A small cloud in memory: in process, or behind HTTP on loopback so that machines outlive the process that bought them. */
export { MemoryCloud, type MachineEvent, type MemoryCloudOptions } from '../../../test/support/fake-cloud/fake-cloud.js';
export { RemoteMemoryCloud } from './remote-memory-cloud.js';
export { serveMemoryCloud, type ServedCloud } from './serve-memory-cloud.js';
