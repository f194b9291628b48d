/** A field of an older version of a kind. */
export interface RenamedField {
  readonly from: readonly string[];
  /** Its path in the newest version, where it has one. */
  readonly to?: readonly string[];
  /** What the newest version has instead, for people; default: the path. */
  readonly now?: string;
}
