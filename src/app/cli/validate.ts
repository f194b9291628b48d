/** `berth validate`: everything that is wrong or will hurt in some manifests, all at once. */
import { formatIssue } from '../../apis/decode/format-issue.js';
import { FILENAME_FLAG, manifestTexts, MOST_FILES } from '../input/manifest-flags.js';
import { readManifests } from '../input/read-manifests.js';
import type { CliIo } from './cli-io.js';
import type { Arguments, Command } from './command.js';
import { EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from './exit-codes.js';
import { OUTPUT_FLAG, outputOf } from './output-format.js';
