/** What one process of Berth does; the loops run on one replica at a time, everything else on all. */

export const ROLES = ['loops', 'webhooks', 'extender', 'metrics', 'dashboard'] as const;
export type Role = (typeof ROLES)[number];
