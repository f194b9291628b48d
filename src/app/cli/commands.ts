/** The commands of `berth`, in the order in which help lists them. */
import { CATALOG } from './catalog.js';
import type { Command } from './command.js';

export const COMMANDS: readonly Command[] = [CATALOG];
