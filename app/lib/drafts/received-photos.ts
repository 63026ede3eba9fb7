import { logWarning } from '#app/lib/log.ts';
import { dropReceivedPhotos } from '#sync/client/device/received-photos.ts';

/** Deletes the photos that another app has shared. Resolves with whether that succeeded; never rejects. */
export async function deleteReceivedPhotos(): Promise<boolean> {
  try {
    await dropReceivedPhotos();
    return true;
  } catch (error) {
    logWarning('The received photos could not be deleted:', error);
    return false;
  }
}
