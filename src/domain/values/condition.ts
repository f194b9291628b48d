/** Conditions of Berth's own objects, as Kubernetes writes them (API conventions: typical status properties). */

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One CamelCase word. */
  readonly reason: string;
  readonly message: string;
  /** When `status` last changed, in milliseconds since 1970. */
  readonly lastTransitionTime: number;
}

/** Whether the condition of this type is there with status True. */
export function isTrue(conditions: readonly Condition[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

/** All that conditions say but their times: equal texts where there is nothing new to write. */
export function conditionsText(conditions: readonly Condition[]): string {
  return JSON.stringify(
    conditions.map(({ type, status, reason, message }) => [type, status, reason, message]),
  );
}

/** The list with this condition set; the transition time stays when the status does not change. */
export function withCondition<T extends Condition>(conditions: readonly T[], next: T): readonly T[] {
  const index = conditions.findIndex(({ type }) => type === next.type);
  const before = conditions[index];
  if (before === undefined) return [...conditions, next];
  const since = before.status === next.status ? before.lastTransitionTime : next.lastTransitionTime;
  return conditions.with(index, { ...next, lastTransitionTime: since });
}

/** Types of conditions with what each says, and the reasons that it may have. Texts without a full stop. */
export type ConditionTable<More = unknown> = Readonly<
  Record<
    string,
    More & {
      readonly meaning: string;
      readonly reasons: Readonly<
        Record<string, { readonly statuses: readonly Condition['status'][]; readonly when: string }>
      >;
    }
  >
>;

/** Type, status and reason together, as a table allows them. */
export type ConditionOf<Table extends ConditionTable> = {
  [Type in keyof Table & string]: {
    [Reason in keyof Table[Type]['reasons'] & string]: {
      readonly type: Type;
      readonly status: Table[Type]['reasons'][Reason]['statuses'][number];
      readonly reason: Reason;
    };
  }[keyof Table[Type]['reasons'] & string];
}[keyof Table & string];
