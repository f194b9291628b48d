/** What kube-scheduler asks before it places a pod. */
export { extenderRouter, type ExtenderSettings } from './extender-router.js';
