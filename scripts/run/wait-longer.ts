import { vi } from 'vitest';

/** A machine with much else to do takes its time; what never happens is still told before the test's own time is up. */
const WAIT_LIMIT_MS = Number(process.env.WAIT_LIMIT_MS ?? 15_000);

const { waitFor } = vi;
// Vitest waits one second and has no setting for it: a test would fail for nothing but being slow.
vi.waitFor = (callback, options = WAIT_LIMIT_MS) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: WAIT_LIMIT_MS, ...options });
