/** A HorizontalPodAutoscaler, as far as it says whose replicas it sets. */
export interface HorizontalPodAutoscaler {
  readonly namespace: string;
  readonly name: string;
  /** `namespace/name` of the Deployment that it scales; undefined when it scales another kind. */
  readonly deployment: string | undefined;
}
