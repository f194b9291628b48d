// Where `make test-aws` leaves what it checked.
import { join } from 'node:path';

export const REPORT_FILE = join(import.meta.dirname, '../../reports/aws.json');
