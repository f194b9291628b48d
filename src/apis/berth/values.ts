/** Codecs of what several of Berth's own kinds hold: conditions, amounts of resources, requirements, taints, durations. */
import type { Condition } from '../../domain/values/condition.js';
import { toMillis, toUnits } from '../../domain/values/quantity.js';
import {
  requirement,
  REQUIREMENT_OPERATORS,
  type Requirement,
  type RequirementOperator,
} from '../../domain/values/requirement.js';
import { requirementsOf } from '../../domain/values/requirements.js';
import { CPU, formatAmount, type ResourceList } from '../../domain/values/resources.js';
import { TAINT_EFFECTS, type Taint } from '../../domain/values/taint.js';
import { describeValue } from '../documents/part.js';
import { durationSeconds, formatDuration, NEVER } from '../fields/duration.js';
import { readAmounts } from '../kubernetes/object/amounts.js';
import { member, refuse } from '../kubernetes/object/field.js';
import {
  choice,
  field,
  integer,
  list,
  mapped,
  message,
  object,
  optionalTextOf,
  text,
  textOrEmpty,
  time,
  validated,
  withDefault,
  type Codec,
} from './codec.js';

/** Most characters of messages in status. */
export const MOST_MESSAGE = 32_768;

interface ConditionJson extends Omit<Condition, 'status'> {
  readonly status: Condition['status'] | undefined;
  /** Berth's own kinds have it in their schema, as Kubernetes' conventions ask, and never set it. */
  readonly observedGeneration: number | undefined;
}

const condition = object<ConditionJson>({
  type: field('Type of the condition.', text({ maxLength: 316, pattern: '^[A-Za-z]+$' })),
  status: field('Status of the condition.', choice(['True', 'False', 'Unknown'])),
  reason: field(
    'Reason as one CamelCase word.',
    textOrEmpty({ minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' }),
    { isRequired: true },
  ),
  message: field('Human-readable message.', message(MOST_MESSAGE), { isRequired: true }),
  lastTransitionTime: field('Time when the status last changed.', withDefault(time, 0), { isRequired: true }),
  observedGeneration: field(
    'metadata.generation that the condition was set for.',
    integer({ format: 'int64', minimum: 0 }),
  ),
});

const conditionList = list(
  validated(condition, {
    read: ({
      type,
      status = 'Unknown',
      reason,
      message: words,
      lastTransitionTime,
    }): Condition | undefined =>
      type === '' ? undefined : { type, status, reason, message: words, lastTransitionTime },
    write: (value: Condition) => ({ ...value, observedGeneration: undefined }),
  }),
  { maxItems: 32, keys: ['type'] },
);

/** status.conditions: those that have a type; a status that cannot be read is Unknown. Written also where there is none yet. */
export const conditions: Codec<readonly Condition[]> = {
  ...conditionList,
  write: (all) => conditionList.write(all) ?? [],
};

/** Kubernetes' own pattern of quantities, as its CustomResourceDefinitions have it. */
const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** `{cpu: "1500m", memory: "2Gi"}` in domain's units. Zeros stay: an instance may have none of a resource. */
export const resources: Codec<ResourceList> = {
  schema: {
    type: 'object',
    maxProperties: 100,
    additionalProperties: {
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      maxLength: 64,
      pattern: QUANTITY,
      'x-kubernetes-int-or-string': true,
    },
  },
  isRequired: false,
  read: (at) =>
    new Map(
      [...readAmounts(at, 'any')].map(([name, quantity]) => [
        name,
        name === CPU ? toMillis(quantity) : toUnits(quantity),
      ]),
    ),
  write: (amounts) =>
    amounts.size === 0
      ? undefined
      : Object.fromEntries([...amounts].map(([name, amount]) => [name, formatAmount(name, amount)])),
  empty: {},
};

const DURATION = /^(?:\d+[hms])+$/;

/** Seconds; undefined for Never, and where nothing is said. */
export function duration({ orNever }: { readonly orNever: boolean }): Codec<number | undefined> {
  const units = '([0-9]+(s|m|h))+';
  const plain = optionalTextOf({ maxLength: 32, pattern: orNever ? `^(${units}|Never)$` : `^${units}$` });
  return mapped(plain, {
    read: (value, at) => {
      if (value === undefined || value === NEVER) return undefined;
      if (DURATION.test(value)) return durationSeconds(value);
      refuse(
        at,
        `must be hours, minutes or seconds such as 720h, 1h30m or 30s, or Never, not ${describeValue(value)}`,
      );
      return undefined;
    },
    write: (seconds) => (seconds === undefined && !orNever ? undefined : formatDuration(seconds)),
  });
}

interface TaintJson extends Omit<Taint, 'effect'> {
  readonly effect: Taint['effect'] | undefined;
}

const taint = object<TaintJson>({
  key: field('Key that a toleration must name.', text({ minLength: 1, maxLength: 316 })),
  value: field('Value that a toleration with operator Equal must name.', textOrEmpty({ maxLength: 63 })),
  effect: field('Effect on pods that do not tolerate the taint.', choice(TAINT_EFFECTS)),
});

/** Taints that have a key and an effect. */
export const taints: Codec<readonly Taint[]> = list(
  validated(taint, {
    read: ({ key, value, effect }) =>
      key === '' || effect === undefined ? undefined : { key, value, effect },
    write: (value: Taint) => value,
  }),
  { maxItems: 100 },
);

interface RequirementEntry {
  readonly key: string;
  readonly operator: RequirementOperator | undefined;
  readonly values: readonly string[];
  readonly minValues: number | undefined;
}

const requirementEntry = object<RequirementEntry>(
  {
    key: field('Label key of the requirement.', text({ minLength: 1, maxLength: 316 })),
    operator: field('Operator that compares the label with the values.', choice(REQUIREMENT_OPERATORS)),
    values: field('Values for the operator.', list(textOrEmpty({ maxLength: 63 }), { maxItems: 1000 })),
    minValues: field(
      'Minimum number of different values that the launch request must keep.',
      integer({ minimum: 1, maximum: 50 }),
    ),
  },
  {
    validations: [
      {
        rule: "self.operator != 'In' || (has(self.values) && self.values.size() > 0)",
        message: 'values must not be empty when operator is In',
        fieldPath: '.values',
      },
      {
        rule: "!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || self.values.size() == 0",
        message: 'values must be empty when operator is Exists or DoesNotExist',
        fieldPath: '.values',
      },
      {
        rule: "!(self.operator in ['Gt', 'Lt', 'Gte', 'Lte']) || (has(self.values) && self.values.size() == 1 && self.values[0].matches('^-?[0-9]{1,16}$'))",
        message: 'values must be exactly one whole number when operator is Gt, Lt, Gte or Lte',
        fieldPath: '.values',
      },
    ],
  },
);

const MOST_REQUIREMENTS = { maxItems: 300 };
const entryList = list(requirementEntry, MOST_REQUIREMENTS);

const readableList = list<Requirement>(
  {
    ...requirementEntry,
    read: (at) => {
      const { key, operator, values, minValues = 0 } = requirementEntry.read(at);
      if (key === '' || operator === undefined) return undefined;
      try {
        return requirement(key, operator, values, minValues);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        refuse(member(at, 'values'), error.message);
        return undefined;
      }
    },
    write: () => undefined,
  },
  MOST_REQUIREMENTS,
);

/**
 * Entries `{key, operator, values, minValues}`, as Karpenter's NodeClaim has them. Those on one key become one requirement,
 * in the order in which keys appear. Values keep their order, which is a ranking for instance types.
 */
export const requirements: Codec<readonly Requirement[]> = {
  ...entryList,
  read: (at) => [...requirementsOf(readableList.read(at)).values()],
  write: (all) => entryList.write(all.flatMap(entriesOf)),
};

/**
 * One entry, or several with one key where a set needs them: excluded values beside bounds, or beside Exists where a
 * missing label is excluded as well.
 */
function entriesOf(required: Requirement): readonly RequirementEntry[] {
  return operatorsOf(required).map(([operator, values = []], index) => ({
    key: required.key,
    operator,
    values,
    // The larger one counts, so saying it once is enough.
    minValues: index === 0 && required.minValues > 0 ? required.minValues : undefined,
  }));
}

type Operation = readonly [operator: RequirementOperator, values?: readonly string[]];

function operatorsOf({ complement, values, atLeast, atMost, absent }: Requirement): readonly Operation[] {
  if (!complement) return absent && values.size === 0 ? [['DoesNotExist']] : [['In', [...values]]];
  const operations: Operation[] = [];
  if (values.size > 0 || absent) operations.push(['NotIn', [...values]]);
  if (atLeast !== -Infinity) operations.push(lowerBound(atLeast));
  if (atMost !== Infinity) operations.push(upperBound(atMost));
  const isBounded = atLeast !== -Infinity || atMost !== Infinity;
  if (!absent && !isBounded) operations.unshift(['Exists']);
  return operations;
}

/** `Gt` where the bound itself is beyond the integers that can be read back. */
function lowerBound(atLeast: number): Operation {
  return Number.isSafeInteger(atLeast) ? ['Gte', [String(atLeast)]] : ['Gt', [String(atLeast - 1)]];
}

function upperBound(atMost: number): Operation {
  return Number.isSafeInteger(atMost) ? ['Lte', [String(atMost)]] : ['Lt', [String(atMost + 1)]];
}
