/** What Berth has to know of a family of images: one value of spec.amiFamily. Each is a file here and a row of the table. */
import type { UserData, UserDataQuestion } from './user-data/user-data-question.js';

/** Which instances an image is for: any, those with NVIDIA GPUs, those with AWS' own chips (Inferentia, Trainium). */
export type ImageVariant = 'standard' | 'nvidia' | 'neuron';

/** An SSM parameter whose value is the id of an image. */
export interface AliasParameter {
  readonly path: string;
  /** undefined: the image is for all instances of its architecture. */
  readonly variants: readonly ImageVariant[] | undefined;
}

/** The images that an alias such as `al2023@latest` means. */
export interface AliasImages {
  /** The part before the `@`. */
  readonly name: string;
  /** Whether `latest` is the only version. */
  readonly hasLatestOnly?: boolean;
  /**
   * The parameters that hold them for a Kubernetes version (`1.36`), one for each architecture and variant. Not all need
   * exist. `version` is the part behind the `@`.
   */
  parameters(kubernetes: string, version: string): readonly AliasParameter[];
  /** Why the family has no images for this Kubernetes version, whatever AWS publishes; undefined when it can have some. */
  missingFor?(kubernetes: string): string | undefined;
}

/** A disk that nodes of a family get where their node class names none. */
export interface UsualDisk {
  readonly deviceName: string;
  readonly gib: number;
}

export interface ImageFamily<Name extends string = string> {
  /** As spec.amiFamily spells it. */
  readonly name: Name;
  /** undefined where images can only be named by other terms. */
  readonly alias: AliasImages | undefined;
  /** Disks in the order of a launch template, the one that pods write to last; empty: the image has its own. */
  readonly disks: readonly UsualDisk[];
  /** Device that pods write to; undefined: that of the last disk, since it is not known. */
  readonly ephemeralDevice: string | undefined;
  /** Pods that a node takes whatever its network interfaces have addresses for; undefined: as many as they have. */
  readonly maxPods?: number;
  /** Whether memory is reserved for the pods that a node can have, rather than for all that there could be addresses for. */
  readonly reservesForPodsThatFit?: boolean;
  /** Of a Windows image: its build, as the label node.kubernetes.io/windows-build has it. */
  readonly windowsBuild?: string;
  /** Whether user data can carry any field of a KubeletConfiguration; otherwise only the settings that Berth checks. */
  readonly takesAnySetting?: boolean;
  /** Settings of the kubelet among the checked ones that user data cannot carry. */
  readonly refusedSettings?: readonly string[];
  /** Whether user data hands on no more than one address of a DNS server. */
  readonly hasOneDnsServer?: boolean;
  /** The user data of a node, the user's own part in it. */
  userData(question: UserDataQuestion): UserData;
}
