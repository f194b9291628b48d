/** The commands of `berth`, in the order in which help lists them. */
import { CATALOG } from './catalog.js';
import { CERTS } from './certs.js';
import type { Command } from './command.js';
import { CONVERT } from './convert.js';
import { EXPLAIN } from './explain.js';
import { PLAN } from './plan.js';
import { CONTROLLER, EXTENDER } from './service.js';
import { VALIDATE } from './validate.js';

export const COMMANDS: readonly Command[] = [
  CONTROLLER,
  EXTENDER,
  PLAN,
  VALIDATE,
  CONVERT,
  EXPLAIN,
  CATALOG,
  CERTS,
];
