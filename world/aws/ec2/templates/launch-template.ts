/** A launch template: numbered versions of what a launch needs. */
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { QueryNode } from '../../protocol/query.js';

export interface LaunchTemplateVersion {
  readonly number: number;
  readonly description: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** LaunchTemplateData, as it was sent. */
  readonly data: QueryNode;
}

export interface LaunchTemplate {
  /** `lt-0…`. */
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly versions: ReadonlyMap<number, LaunchTemplateVersion>;
  readonly defaultVersion: number;
  readonly latestVersion: number;
  readonly tags: Labels;
}
