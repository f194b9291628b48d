/** Amounts of money as they are compared: in USD or USD per hour. */

/** What is no difference between two of them: they are sums of decimal fractions, which are off in their last digits. */
export const PRICE_ERROR = 1e-9;
