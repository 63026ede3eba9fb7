import { vi } from 'vitest';

/** Long enough for a busy machine, but shorter than the timeout of a test, so that a failed wait reports its own error. */
const WAIT_TIMEOUT_MS = Number(process.env.WAIT_TIMEOUT_MS ?? 15_000);

const { waitFor } = vi;
// Vitest's default of one second is too short for a busy machine, and has no setting.
vi.waitFor = (callback, options = WAIT_TIMEOUT_MS) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: WAIT_TIMEOUT_MS, ...options });
