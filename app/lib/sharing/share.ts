import { logWarning } from '#app/lib/log.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';

/** An address as it is shown to users. */
export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '');
}

/** Copies a text, then calls `onCopied`. A failure is shown as a toast, after `onFailed`. */
export async function copyText(text: string, onCopied: () => void, onFailed?: () => void): Promise<void> {
  dismissTopic('copy');
  try {
    await navigator.clipboard.writeText(text);
    onCopied();
  } catch {
    onFailed?.();
    showToast('error', 'Failed to copy', 'Please try again or copy manually', { topic: 'copy' });
  }
}

/**
 * Opens the device's share sheet, or copies the link where there is none. A failure is logged and, with `showsFailure`,
 * shown as a toast.
 */
export async function shareLink(
  data: { title: string; url: string },
  { showsFailure = true }: { showsFailure?: boolean } = {},
): Promise<void> {
  if (typeof navigator.share !== 'function') {
    return copyText(data.url, () => showToast('success', 'Link copied', null, { topic: 'copy' }));
  }
  dismissTopic('copy');
  try {
    await navigator.share(data);
  } catch (error) {
    const errorName = error instanceof DOMException ? error.name : null;
    // The user has closed the share sheet.
    if (errorName === 'AbortError') return;
    logWarning('Sharing failed:', error);
    // After a second tap, the share sheet is still open.
    if (showsFailure && errorName !== 'InvalidStateError')
      showToast('error', "Couldn't share", null, { topic: 'copy' });
  }
}
