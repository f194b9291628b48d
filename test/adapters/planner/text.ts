/** Values from another thread, comparable: tests run in a realm of their own, and so do the classes of Map and Set. */

/** Everything that the value says, the order of Maps and Sets and undefined members included; members by name. */
export function text(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (member === undefined) return { undefined: true };
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const kind = Object.prototype.toString.call(member);
    if (kind !== '[object Object]') return { [kind]: [...(member as Iterable<unknown>)] };
    return Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}
