/** The constraints of one claim while devices are chosen for it. */
import type { DeviceConstraint } from '../../domain/devices/claim.js';
import type { Device, DeviceAttribute } from '../../domain/devices/device.js';

interface Kept {
  readonly constraint: DeviceConstraint;
  /** Values of the devices so far, in order. */
  readonly values: string[];
}

export class ConstraintState {
  readonly #kept: readonly Kept[];

  constructor(constraints: readonly DeviceConstraint[]) {
    this.#kept = constraints.map((constraint) => ({ constraint, values: [] }));
  }

  /** Adds a device of a request (`request` or `request/sub-request`); or answers the attribute that forbids it, and adds nothing. */
  add(request: string, device: Device): string | undefined {
    const concerned = this.#concerned(request);
    for (const { constraint, values } of concerned) {
      const value = textOf(device.attributes.get(constraint.attribute));
      const isBroken =
        value === undefined ||
        (constraint.kind === 'match' ? values.some((each) => each !== value) : values.includes(value));
      if (isBroken) return constraint.attribute;
    }
    for (const { constraint, values } of concerned)
      values.push(textOf(device.attributes.get(constraint.attribute)) ?? '');
    return undefined;
  }

  /** Takes the device back that was added last. */
  remove(request: string): void {
    for (const { values } of this.#concerned(request)) values.pop();
  }

  #concerned(request: string): readonly Kept[] {
    const [parent = ''] = request.split('/');
    return this.#kept.filter(
      ({ constraint: { requests } }) =>
        requests.length === 0 || requests.includes(request) || requests.includes(parent),
    );
  }
}

/** Equal for equal values of one type. */
function textOf(attribute: DeviceAttribute | undefined): string | undefined {
  return attribute && `${attribute.type} ${String(attribute.value)}`;
}
