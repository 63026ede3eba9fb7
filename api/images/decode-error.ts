import { AppError } from '#api/errors.ts';

const TIMEOUT_PATTERN = /^timeout\b/;
/** What libvips says when the machine is to blame: memory, open files, a temporary file, a thread. */
const MACHINE_PATTERN = /out of memory|(?:unix|system) error|temporary file|unable to create thread/i;

/**
 * What a failed decoding means. libvips has no codes, so the machine's faults are told by their words and are
 * handed on as they are (500); all else is the picture's fault, `undecodable`.
 *
 * Taking too long is the picture's fault only if nothing was decoded beside it: a good picture on a busy server
 * must not be refused for good (`busy`, try again), and one that is too hard must not be tried for ever.
 */
export function toPictureError(
  error: unknown,
  circumstances: { wasAlone: boolean; retryAfterSeconds: number },
): unknown {
  if (error instanceof AppError) return error;
  const words = error instanceof Error ? error.message : '';
  if (MACHINE_PATTERN.test(words)) return error;
  if (TIMEOUT_PATTERN.test(words) && !circumstances.wasAlone) {
    return new AppError('busy', { retryAfterSeconds: circumstances.retryAfterSeconds, cause: error });
  }
  return new AppError('undecodable', { cause: error });
}
