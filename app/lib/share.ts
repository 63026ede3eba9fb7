import { logWarning } from './log.ts';
import { showCopyFailed, showToast } from './toasts.ts';

/**
 * Opens the device's share sheet, or copies the link where there is none. A failure is logged and, with `showsFailure`,
 * shown as a toast.
 */
export async function shareLink(data: { title: string; url: string }, showsFailure = false): Promise<void> {
  if (typeof navigator.share === 'function') {
    try {
      await navigator.share(data);
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return;
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
