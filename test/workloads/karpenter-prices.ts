/** What Karpenter v1.14.1 plans cost for the shared workloads, in USD/h: of a range, for it is not deterministic, the upper end. */
export const KARPENTER_PRICES: Readonly<Record<string, number>> = {
  'a-homog-10k-od': 532.03,
  'a-homog-10k-spot': 231.17,
  'b-mixed-10k-od': 1363.58,
  'b-mixed-10k-spot': 535.89,
  'c2-deploy-5k-od': 373.82,
  'c2-deploy-5k-spot': 177.82,
  'c-diverse-5k-od': 191.04,
  'c-diverse-5k-spot': 67.1,
  'd-multipool-4k': 1609.21,
};
