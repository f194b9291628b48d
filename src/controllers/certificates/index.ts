/** Certificates looked after. */
export { CertificatesController } from './certificates-controller.js';
