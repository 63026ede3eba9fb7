import { AppError } from '#api/errors.ts';

const TIMEOUT_PATTERN = /^timeout\b/;
/** Messages of libvips for faults of the machine: memory, open files, temporary files, threads. */
const MACHINE_PATTERN = /out of memory|(?:unix|system) error|temporary file|unable to create thread/i;

/**
 * The error to respond with when decoding failed. libvips has no error codes, so faults of the machine are recognised by their
 * message and returned unchanged (500). Anything else is the fault of the image: `undecodable`.
 *
 * A timeout is `undecodable` only if nothing else was decoded at the same time, and `busy` otherwise: a valid image must not be
 * rejected permanently because the server is busy, and an image that is too complex must not be retried forever.
 */
export function toImageError(
  error: unknown,
  circumstances: { wasAlone: boolean; retryAfterSeconds: number },
): unknown {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? error.message : '';
  if (MACHINE_PATTERN.test(message)) return error;
  if (TIMEOUT_PATTERN.test(message) && !circumstances.wasAlone) {
    return new AppError('busy', { retryAfterSeconds: circumstances.retryAfterSeconds, cause: error });
  }
  return new AppError('undecodable', { cause: error });
}

/**
 * Whether an image was `undecodable`, or its decoding timed out: that is `busy` with a cause, whereas a full queue is `busy`
 * without one. If the client has disconnected in the meantime, the failure is the cause of another error.
 */
export function isDecodeFailure(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  const isTimeout = error.code === 'busy' && error.cause !== undefined;
  return error.code === 'undecodable' || isTimeout || isDecodeFailure(error.cause);
}
