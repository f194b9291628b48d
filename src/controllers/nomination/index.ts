/** Nomination: kube-scheduler is told where pods are planned. */
export { NominationController } from './nomination-controller.js';
