/** The page's files, which the bundler puts into the program. */
import type { PageFiles } from '../servers/dashboard/page-files.js';

/** Set by the bundler from web/: the JSON of file name → text. */
declare const BERTH_PAGE: string | undefined;

/** Without a bundle the API answers, and the page is not there. */
export const PAGE_FILES: PageFiles =
  typeof BERTH_PAGE === 'undefined' ? {} : (JSON.parse(BERTH_PAGE) as PageFiles);
