import { showToast } from './toasts.ts';

/** Shares through the device; where it cannot share, the link is copied. A cancelled share says nothing. */
export async function shareLink(data: { title: string; url: string }): Promise<void> {
  if (typeof navigator.share === 'function') {
    try {
      await navigator.share(data);
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'AbortError') showToast('bad', "Couldn't share");
    }
    return;
  }
  try {
    await navigator.clipboard.writeText(data.url);
    showToast('good', 'Link copied', null, 'copy');
  } catch {
    showToast('bad', 'Failed to copy', 'Please try again or copy manually', 'copy');
  }
}
