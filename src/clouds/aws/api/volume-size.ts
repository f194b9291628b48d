/** Sizes of volumes, and which of them bounds what pods can write. */
import { parseQuantity, QuantityError, toUnits } from '../../../domain/values/quantity.js';
import { imageFamily, type AmiFamily } from '../families/families.js';

const SIZE = /^(?:[1-9][0-9]{0,4}(?:Gi|G)|[1-9][0-9]?(?:Ti|T))$/;
const GIB = 2 ** 30;

/** Whether karpenter.k8s.aws/v1 takes the size as it is: Gi up to 59000, G up to 64000, Ti up to 58, T up to 64. */
export function isVolumeSize(text: string): boolean {
  if (!SIZE.test(text)) return false;
  const most: Readonly<Record<string, number>> = { Gi: 59_000, G: 64_000, Ti: 58, T: 64 };
  return Number.parseInt(text, 10) <= (most[text.replace(/^\d+/, '')] ?? 0);
}

/** Bytes of a quantity; undefined when it is none. */
export function volumeBytes(text: string): number | undefined {
  try {
    return toUnits(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** A size that v1 takes, for any quantity up to 64T; rounded up to whole GiB, beyond 59000Gi to 64T. */
export function toVolumeSize(size: string | number): string {
  const text = String(size);
  if (isVolumeSize(text)) return text;
  const gib = Math.ceil((volumeBytes(text) ?? 0) / GIB);
  return gib <= 59_000 ? `${String(gib)}Gi` : '64T';
}

/** Disks as far as sizes are concerned. */
export interface SizedDevice {
  readonly deviceName?: string | undefined;
  readonly rootVolume?: boolean | undefined;
  readonly ebs?: { readonly volumeSize?: string | undefined } | undefined;
}

/** Bytes of the volume that pods write to where the node class does not say; of images with disks of their own a guess. */
function defaultBytes(family: AmiFamily): number {
  return (imageFamily(family).disks.at(-1)?.gib ?? 20) * GIB;
}

/** The disk that bounds ephemeral storage, found as Karpenter finds it. */
export function ephemeralDevice<T extends SizedDevice>(
  devices: readonly T[],
  family: AmiFamily,
): T | undefined {
  const root = devices.find((device) => device.rootVolume === true && device.ebs?.volumeSize !== undefined);
  if (root !== undefined) return root;
  const named = imageFamily(family).ephemeralDevice;
  return named === undefined ? devices.at(-1) : devices.find((device) => device.deviceName === named);
}

/** Bytes of the volume that bounds ephemeral storage. */
export function rootVolumeBytes(devices: readonly SizedDevice[], family: AmiFamily): number {
  const size = ephemeralDevice(devices, family)?.ebs?.volumeSize;
  return (size === undefined ? undefined : volumeBytes(size)) ?? defaultBytes(family);
}

/** Whether the size of that volume is ours to choose: not where a snapshot or a custom AMI decides it. */
export function isSizeOurs(devices: readonly SizedDevice[] | undefined, family: AmiFamily): boolean {
  if (devices === undefined) return family !== 'Custom';
  return ephemeralDevice(devices, family)?.ebs?.volumeSize !== undefined;
}
