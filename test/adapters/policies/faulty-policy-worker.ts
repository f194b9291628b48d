/** A policy thread that hangs, fails or ends when a ConfigMap's name tells it to. */
import '../../../src/app/clouds.js';
import { isPolicyWorker, startPolicyWorker } from '../../../src/adapters/policies/index.js';
import { readPolicyConfigMap } from '../../../src/apis/berth/read-policy-config-map.js';

if (isPolicyWorker())
  startPolicyWorker((object) => {
    const { name } = (object as { readonly metadata: { readonly name: string } }).metadata;
    while (name === 'hang');
    if (name === 'end') process.exit(7);
    if (name === 'fail') throw new Error('told to');
    if (name === 'eat') eat();
    return readPolicyConfigMap(object);
  });

/** More than the thread may have, in large pieces. */
function eat(): never {
  for (const eaten: number[][] = []; ;) eaten.push(Array<number>(1_000_000).fill(0.5));
}
