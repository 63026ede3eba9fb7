import { logQuietly } from './log.ts';
import { sayCopyFailed, showToast } from './toasts.ts';

type Shared = { title: string; url: string };

function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/**
 * Shares through the device; where it cannot share, the link is copied. A cancelled share says nothing, a failed one
 * is logged and, with `saysFailure`, told.
 */
export async function shareLink(data: Shared, saysFailure = false): Promise<void> {
  if (typeof navigator.share === 'function') {
    try {
      await navigator.share(data);
    } catch (error) {
      if (isCancelled(error)) return;
      logQuietly('Sharing failed:', error);
      if (saysFailure) showToast('bad', "Couldn't share");
    }
    return;
  }
  try {
    await navigator.clipboard.writeText(data.url);
    showToast('good', 'Link copied', null, 'copy');
  } catch {
    sayCopyFailed();
  }
}
