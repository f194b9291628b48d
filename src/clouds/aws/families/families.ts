/** The families of images, one row each. */
import { al2 } from './al2.js';
import { al2023 } from './al2023.js';
import { bottlerocket } from './bottlerocket.js';
import { custom } from './custom.js';
import type { ImageFamily } from './family.js';
import { windows2019, windows2022, windows2025 } from './windows.js';

const FAMILIES = [al2, al2023, bottlerocket, windows2019, windows2022, windows2025, custom] as const;

/** A value of spec.amiFamily. */
export type AmiFamily = (typeof FAMILIES)[number]['name'];

export const AMI_FAMILIES: readonly AmiFamily[] = FAMILIES.map(({ name }) => name);

const BY_NAME: ReadonlyMap<string, ImageFamily<AmiFamily>> = new Map(
  FAMILIES.map((family) => [family.name, family]),
);
const BY_ALIAS: ReadonlyMap<string, ImageFamily<AmiFamily>> = new Map(
  FAMILIES.flatMap((family) => (family.alias === undefined ? [] : [[family.alias.name, family] as const])),
);

/** Names that an alias may have before its `@`. */
export const ALIAS_NAMES: readonly string[] = [...BY_ALIAS.keys()];

export function imageFamily(name: AmiFamily): ImageFamily<AmiFamily> {
  return BY_NAME.get(name) ?? custom;
}

/** The family that an alias such as `al2023@latest` names; undefined when there is none of that name. */
export function familyOfAlias(alias: string): ImageFamily<AmiFamily> | undefined {
  const [name = ''] = alias.split('@');
  return BY_ALIAS.get(name);
}
