import { join } from 'node:path';

/** The project's folder, independent of the working directory. */
export const ROOT = join(import.meta.dirname, '..', '..');
export const DIST = join(ROOT, 'dist');
/** The build of the app, which the server serves. */
export const DIST_APP = join(DIST, 'app');
