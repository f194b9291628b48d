/** A product of AWS' price list, which comes as JSON within JSON. */

export interface ProductPrice {
  readonly instanceType: string;
  /** USD/h. */
  readonly price: number;
}

/** The price of a product that is an instance type; undefined when it is none, is free, or cannot be read. */
export function readProduct(text: string): ProductPrice | undefined {
  const product = parsed(text);
  const instanceType = at(product, 'product', 'attributes', 'instanceType');
  if (typeof instanceType !== 'string' || instanceType === '') return undefined;
  const terms = Object.values(asObject(at(product, 'terms', 'OnDemand')));
  const dimensions = terms.flatMap((term) => Object.values(asObject(at(term, 'priceDimensions'))));
  for (const dimension of dimensions) {
    const price = Number(at(dimension, 'pricePerUnit', 'USD') ?? Number.NaN);
    if (at(dimension, 'unit') === 'Hrs' && price > 0 && Number.isFinite(price))
      return { instanceType, price };
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, key) => asObject(inner)[key], value);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
