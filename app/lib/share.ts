import { logWarning } from './log.ts';
import { showCopyFailed, showToast } from './toasts.ts';

type Shared = { title: string; url: string };

function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/**
 * Opens the device's share sheet, or copies the link where there is none. A failure is logged and, with `showsFailure`,
 * shown as a toast.
 */
export async function shareLink(data: Shared, showsFailure = false): Promise<void> {
  if (typeof navigator.share === 'function') {
    try {
      await navigator.share(data);
    } catch (error) {
      if (isCancelled(error)) return;
      logWarning('Sharing failed:', error);
      if (showsFailure) showToast('error', "Couldn't share");
    }
    return;
  }
  try {
    await navigator.clipboard.writeText(data.url);
    showToast('success', 'Link copied', null, 'copy');
  } catch {
    showCopyFailed();
  }
}
