import type { InitialForm } from '#app/features/polls/lib/create-poll-form.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import type { ReceivedPhotos } from '#sync/client/device/received-photos.ts';

type Props = {
  draft: InitialForm;
  photos: ReceivedPhotos;
  onDraft(): void;
  onPhotos(): void;
  onClose(): void;
};

/** Asks whether photos that another app has shared may replace a draft. Closing it decides nothing. */
export default function DraftOrPhotos({ draft, photos, onDraft, onPhotos, onClose }: Props) {
  const isOne = photos.files.length === 1;
  const { question } = draft.texts;
  return (
    <SheetDialog title="You have a draft" onClose={onClose} hasCloseButton>
      <p className="wrap-anywhere pb-2 text-field text-muted">
        {question === '' ? 'A poll' : <b className="font-bold text-base-content">“{question}”</b>} is not
        posted yet. A new poll with {isOne ? 'the shared photo' : 'the shared photos'} takes its place.
      </p>
      <PrimaryButton data-first-focus="" onClick={onPhotos}>
        New poll with the photo{isOne ? '' : 's'}
      </PrimaryButton>
      <SecondaryButton className="min-h-12" onClick={onDraft}>
        Keep the draft
      </SecondaryButton>
    </SheetDialog>
  );
}
