/** What the name of an instance type says: `m7gd.4xlarge` is category m, generation 7, family m7gd, size 4xlarge. */

export interface InstanceName {
  readonly family: string | undefined;
  readonly size: string | undefined;
  readonly category: string | undefined;
  readonly generation: number | undefined;
}

/** Reads a name as Karpenter does; u-6tb1 is generation 1, u7i-12tb generation 7. What does not look like one has no parts. */
export function parseInstanceName(name: string): InstanceName {
  const [family, size, ...rest] = name.split('.');
  const scheme = /^([a-z]+)(?:-\d+tb)?(\d+).*\./.exec(name);
  const whole = family !== undefined && size !== undefined && rest.length === 0;
  return {
    family: whole ? family : undefined,
    size: whole ? size : undefined,
    category: scheme?.[1],
    generation: scheme ? Number(scheme[2]) : undefined,
  };
}
