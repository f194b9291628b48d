/** Requests and answers on the wire, and serving them. */
export { serveWire, type ServedWire } from './serve-wire.js';
export type { WireHandler, WireRequest } from './wire.js';
