import { useEffect, useEffectEvent, useState } from 'react';
import { DRAFT_SAVE_DELAY_MS } from '#app/lib/drafts/draft-store.ts';
import { showToast } from '#app/lib/toasts.ts';
import type { Option } from '#shared/polls/schema.ts';
import { dropReceivedPhotos, type ReceivedPhotos } from '#sync/client/device/received-photos.ts';

const OPTIONS = [1, 2] as const;

/** Photos that another app has shared; `not_stored` if this device could not store them. */
export type ReceivedPhotosState = ReceivedPhotos | 'not_stored';

/**
 * Puts the photos that another app has shared into the form, as if the user had picked them, and then drops them. Returns whether
 * all have been picked and read.
 */
export function useReceivedPhotos(
  received: ReceivedPhotosState | null,
  pick: (option: Option, file: File) => Promise<void>,
): boolean {
  const [arePicked, setPicked] = useState(false);
  const pickReceived = useEffectEvent(async () => {
    if (received === null) return;
    if (received === 'not_stored') {
      showToast('error', 'The photos could not be loaded', 'Please choose them here.');
      return;
    }
    const { files, count } = received;
    if (count > OPTIONS.length) {
      showToast('success', 'The first two photos are here', `A poll has two images. ${count} were shared.`);
    }
    await Promise.all(
      OPTIONS.map(async (option) => {
        const file = files[option - 1];
        if (file !== undefined) await pick(option, file);
      }),
    );
    setPicked(true);
  });
  useEffect(() => void pickReceived(), []);
  useEffect(() => {
    // After this time the draft contains the photos. If the dialog is closed while they are being read, it drops them once
    // `useDraftSaver` has saved them.
    if (arePicked) setTimeout(() => void dropReceivedPhotos(), 2 * DRAFT_SAVE_DELAY_MS);
  }, [arePicked]);
  return arePicked;
}
