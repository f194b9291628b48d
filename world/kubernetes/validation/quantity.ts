/** Quantities, read by the simulator itself (apimachinery's pkg/api/resource). */

const QUANTITY = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d+))?$/;
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
};

/** `500m` is 0.5; undefined for what is no quantity. */
export function quantityValue(value: unknown): number | undefined {
  const match = QUANTITY.exec(
    typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '',
  );
  if (match === null) return undefined;
  const [, digits = '', binary, decimal, exponent] = match;
  const number = Number(digits);
  if (binary !== undefined) return number * 1024 ** (BINARY.indexOf(binary) + 1);
  if (decimal !== undefined) return number * (DECIMAL[decimal] ?? 1);
  return exponent === undefined ? number : Number(`${digits}e${exponent}`);
}
