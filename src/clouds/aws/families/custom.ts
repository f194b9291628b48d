/** Images that users make: Berth knows neither their disks nor how their nodes join the cluster. */
import type { ImageFamily } from './family.js';

export const custom = {
  name: 'Custom',
  alias: undefined,
  disks: [],
  ephemeralDevice: undefined,
  // What the user's own user data does with the settings is not known.
  takesAnySetting: true,
  userData: ({ own = '' }) => ({ text: own }),
} as const satisfies ImageFamily;
