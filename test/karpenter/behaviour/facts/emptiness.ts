/** Nodes without pods that need them. */
import { fleet, HOUR, NOW } from '../../../support/builders/disruption-input.js';
import type { Suite } from '../fact.js';
import { going, LARGE, staying, wasteful } from '../fleets.js';

export const EMPTINESS: Suite = {
  name: 'Emptiness',
  facts: [
    {
      fact: 'deletes a node without pods, and launches nothing for it',
      run: (): void => {
        expect(going(fleet([{ name: 'a', type: LARGE }]))).toEqual(['Empty a']);
      },
    },
    {
      fact: 'deletes a node whose pods all belong to DaemonSets',
      run: (): void => {
        const agent = { owner: { kind: 'DaemonSet', name: 'agent' } };
        expect(going(fleet([wasteful('a', {}, [agent])]))).toEqual(['Empty a']);
      },
    },
    {
      fact: 'keeps an empty node until consolidateAfter has passed since its last pod left',
      run: (): void => {
        const node = { name: 'a', type: LARGE, managed: { quietSince: NOW - HOUR } };
        const terms = { consolidateAfterSeconds: 3601 };
        expect(going(fleet([node], { terms }))).toEqual([]);
        expect(staying(fleet([node], { terms }))).toEqual(['a Empty NotQuiet']);
        expect(going(fleet([node], { terms: { consolidateAfterSeconds: 3600 } }))).toEqual(['Empty a']);
      },
    },
  ],
};
