/** What the exit codes of `berth` mean. */

/** Done, and nothing to report. */
export const EXIT_OK = 0;
/** Something failed that the user's input is not to blame for. */
export const EXIT_ERROR = 1;
/** Wrong usage or bad input; nothing was printed on stdout. */
export const EXIT_USAGE = 2;
/** Done, with findings: a pod that cannot be placed, or warnings about documents. */
export const EXIT_FINDINGS = 3;
