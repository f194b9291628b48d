/** Fields that other versions have elsewhere, so that an unknown field can say where it went. */
import * as z from 'zod';

/** Unknown field → where its value belongs in this version. */
export const movedFields = z.registry<Readonly<Record<string, string>>>();
