/** Who else has a say before an object is stored. */
import type { KubeObject, ObjectRef } from '../objects/kube-object.js';
import type { ResourceType } from '../resources/resource-type.js';

export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly type: ResourceType;
  readonly subresource: string;
  readonly ref: ObjectRef;
  /** Missing when it is to be deleted. */
  readonly object: KubeObject | undefined;
  /** Missing when it is created. */
  readonly old: KubeObject | undefined;
  readonly dryRun: boolean;
  /** For kubectl to show. */
  warn(text: string): void;
}

/** Decides at once. @throws ApiError 403 */
export interface BuiltInAdmission {
  /** The object with what the plugins add. */
  admitNew(type: ResourceType, object: KubeObject): KubeObject;
  admitChange(type: ResourceType, object: KubeObject): KubeObject;
}

/** Asks others. */
export interface WebhookAdmission {
  /** Whether a webhook has to be called; nothing is waited for otherwise. */
  concerns(request: AdmissionRequest): boolean;
  /** The object as the mutating webhooks want it. @throws ApiError */
  mutate(request: AdmissionRequest): Promise<KubeObject | undefined>;
  /** @throws ApiError */
  validate(request: AdmissionRequest): Promise<void>;
}
