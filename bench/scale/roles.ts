/** First arguments that make a process of this program something other than the command line. */
export const CASE = '--case';
export const WORLD = '--world';
export const LOAD = '--load';
