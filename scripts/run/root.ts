import { join } from 'node:path';

/** The project's folder, wherever a script was started from. */
export const ROOT = join(import.meta.dirname, '..', '..');
export const DIST = join(ROOT, 'dist');
/** What Vite builds and the server hands out. */
export const DIST_APP = join(DIST, 'app');
