import { useCallback, useEffect, useEffectEvent, useRef } from 'react';
import { deleteReceivedPhotos } from '#app/lib/drafts/received-photos.ts';
import { showToast } from '#app/lib/toasts.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { ReceivedPhotos } from '#sync/client/device/received-photos.ts';

const OPTIONS = [1, 2] as const;

/** Photos that another app has shared; `not_stored` if this device could not store them. */
export type ReceivedPhotosState = ReceivedPhotos | 'not_stored';

/**
 * Puts the photos that another app has shared into the form, as if the user had picked them. Returns a function that drops them,
 * to be called once the draft contains them or is discarded. Photos that arrive after its first call are not dropped.
 */
export function useReceivedPhotos(
  received: ReceivedPhotosState | null,
  pick: (option: Option, file: File) => Promise<boolean>,
): () => Promise<void> {
  const areDropped = useRef(received === null || received === 'not_stored');
  const drop = useCallback(async () => {
    if (areDropped.current) return;
    areDropped.current = true;
    if (!(await deleteReceivedPhotos())) areDropped.current = false;
  }, []);
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
    const areRead = await Promise.all(
      OPTIONS.map(async (option) => {
        const file = files[option - 1];
        return file !== undefined && (await pick(option, file));
      }),
    );
    // No draft will contain them.
    if (!areRead.includes(true)) await drop();
  });
  useEffect(() => void pickReceived(), []);
  return drop;
}
