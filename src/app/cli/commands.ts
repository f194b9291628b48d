/** The commands of `berth`, in the order in which help lists them. */
import { CATALOG } from './catalog.js';
import { CERTS } from './certs.js';
import type { Command } from './command.js';
import { CONVERT } from './convert.js';
import { COST } from './cost.js';
import { DEMO } from './demo.js';
import { EXPLAIN } from './explain.js';
import { GET } from './get/get.js';
import { PAUSE, RESUME } from './pause.js';
import { PLAN } from './plan.js';
import { CONTROLLER, EXTENDER } from './service.js';
import { UI } from './ui.js';
import { VALIDATE } from './validate.js';

export const COMMANDS: readonly Command[] = [
  CONTROLLER,
  EXTENDER,
  DEMO,
  PLAN,
  VALIDATE,
  CONVERT,
  EXPLAIN,
  GET,
  COST,
  PAUSE,
  RESUME,
  UI,
  CATALOG,
  CERTS,
];
