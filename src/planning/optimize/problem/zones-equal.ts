/** Whether it makes no difference in price where machines are bought. */

/** @param machines with USD/h as machines × Z, Infinity where not offered. Zones in which nothing is offered do not count. */
export function areZonesEqual({
  count,
  zones,
  price,
}: {
  readonly count: number;
  readonly zones: number;
  readonly price: Float64Array;
}): boolean {
  const used = new Set<number>();
  for (let index = 0; index < price.length; index++) if (price[index] !== Infinity) used.add(index % zones);
  const [first = 0, ...others] = used;
  for (let machine = 0; machine < count; machine++) {
    for (const zone of others)
      if (price[machine * zones + zone] !== price[machine * zones + first]) return false;
  }
  return true;
}
