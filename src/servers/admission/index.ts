/** What kube-apiserver asks before it stores pods and policies. */
export { admissionRouter } from './admission-router.js';
