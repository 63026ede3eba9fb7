import { join } from 'node:path';
import { ROOT } from './root.ts';

/** The environment variable that makes Node keep compiled code in a folder, which the processes of all test runs share. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled') };
