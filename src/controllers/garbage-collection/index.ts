/** Garbage collection of orphaned instances, claims and nodes. */
export { GarbageCollectionController } from './garbage-collection-controller.js';
