/** Taking away what belongs to nobody. */
export { GarbageCollectionController } from './garbage-collection-controller.js';
