import { X } from 'lucide-react';
import { type FormEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { useDraftSaver } from '#app/features/polls/hooks/use-draft-saver.ts';
import { useFormImages } from '#app/features/polls/hooks/use-form-images.ts';
import { usePollSubmission } from '#app/features/polls/hooks/use-poll-submission.ts';
import {
  type ReceivedPhotosState,
  useReceivedPhotos,
} from '#app/features/polls/hooks/use-received-photos.ts';
import {
  type InitialForm,
  initialTexts,
  isBlank,
  isReadingImages,
  type PollForm,
  type Texts,
} from '#app/features/polls/lib/create-poll-form.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { focusMain } from '#app/lib/navigation/focus-main.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { IconButton } from '#app/ui/button.tsx';
import { Coin } from '#app/ui/icon.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { RESPONSES_MAX, RESPONSES_MIN } from '#shared/polls/constants.ts';
import { pollCost } from '#shared/polls/rules.ts';
import type { PointsView } from '#sync/client/outbox/overlay.ts';
import { CreatePollFooter, DurationAndResponsesFields, QuestionField } from './create-poll-fields.tsx';
import { ImageFields } from './image-field.tsx';

type Props = {
  points: PointsView;
  initial?: InitialForm;
  received?: ReceivedPhotosState | null;
  onClose(): void;
};

const SUBMIT_LABELS = {
  editing: 'Create Poll',
  reading: 'Reading the image…',
  saving: 'Saving…',
};

/** The form for a new poll: full-screen on a phone, two columns on a desktop. Esc and Back keep its draft. */
export default function CreatePollDialog({ points, initial, received = null, onClose }: Props) {
  const titleId = useId();
  const isLoggedIn = useUser() !== null;
  const spendable = isLoggedIn ? points.spendable : null;
  const maxResponses = Math.max(RESPONSES_MIN, Math.min(RESPONSES_MAX, points.spendable));
  const [texts, setTexts] = useState<Texts>(() => initialTexts(initial, maxResponses));
  const formRef = useRef<HTMLFormElement>(null);
  const { images, pick, untilRead } = useFormImages(initial);
  const dropPhotos = useReceivedPhotos(received, pick);
  const form: PollForm = useMemo(() => ({ ...texts, images }), [texts, images]);
  const draft = useDraftSaver(form, initial?.replacesOpId, {
    untilRead,
    onSaved: dropPhotos,
  });
  const cost = pollCost(texts.responsesWanted);

  function close() {
    // Closing takes a moment. If the last image is read meanwhile, the poll must not be created after all.
    stopWaiting();
    onClose();
  }

  function discardAndClose() {
    draft.discard();
    void dropPhotos();
    close();
  }

  const { phase, problemField, submit, stopWaiting } = usePollSubmission(form, {
    spendable,
    replacesOpId: initial?.replacesOpId,
    onCreated: discardAndClose,
    onQuestionMissing: () => formRef.current?.querySelector('textarea')?.focus(),
  });

  const isSaving = phase === 'saving';
  function change(part: Partial<Texts>) {
    if (!isSaving) setTexts((before) => ({ ...before, ...part }));
  }

  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  useEffect(() => dismissTopic('draft'), []);

  function cancel() {
    // The draft is deleted once the poll is stored: if that fails, it is needed again.
    if (isSaving) return onClose();
    discardAndClose();
    // A refused poll that was being edited is still in the outbox.
    const isEmpty = isBlank(form) && !isReadingImages(form);
    if (isEmpty || initial?.replacesOpId !== undefined) return;
    function openAgain() {
      // The user may have gone elsewhere while an image was being read.
      if (window.location.pathname !== pathname) return;
      // The Create Poll button may have opened the dialog meanwhile. (`usr` is the router's state of an entry in the browser's
      // history.)
      const replace = window.history.state?.usr?.isCreating === true;
      navigate({ pathname, search }, { state: { isCreating: true }, replace });
    }
    function undo() {
      // When the dialog closes, it gives the focus back to the element that had it. The Undo button is gone by then.
      focusMain();
      draft.restore().then(openAgain, () => {
        showToast('error', 'The draft could not be restored', 'This device could not store it.', {
          topic: 'draft',
        });
      });
    }
    showToast('success', 'Draft deleted', null, {
      topic: 'draft',
      action: { label: 'Undo', run: undo },
    });
  }

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (phase === 'editing') void submit();
  }

  return (
    <Modal
      labelledBy={titleId}
      onClose={close}
      className="h-dvh w-full md:h-fit md:max-h-[92dvh]! md:w-[min(56rem,94vw)] md:rounded-card md:shadow-floating"
    >
      <form
        ref={formRef}
        noValidate
        onSubmit={onSubmit}
        className="grid h-full grid-rows-[auto_minmax(10rem,1fr)_auto] md:grid-rows-[auto_1fr_auto] md:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)] md:gap-x-9 md:px-7 md:pb-6"
      >
        <header className="flex min-h-14 flex-wrap items-center gap-2 px-4 pt-[env(safe-area-inset-top)] md:col-span-2 md:min-h-20 md:px-0">
          <IconButton
            icon={X}
            label="Close"
            onClick={cancel}
            className="-ml-3 md:-mr-3 md:order-last md:ml-1"
          />
          <h2 id={titleId} className="wrap-break-word min-w-0 flex-1 text-question md:text-title">
            {initial?.replacesOpId === undefined ? 'Create Poll' : 'Edit Poll'}
          </h2>
          <span className="flex min-h-9 items-center gap-2 rounded-full bg-base-300 px-3">
            <Coin />
            <span className="figures font-bold text-[1.0625rem]">{points.confirmed}</span>
          </span>
        </header>
        <div className="grid content-start gap-4 overflow-y-auto px-4 pt-1 pb-4 md:contents">
          <div className="grid content-start gap-3.5 md:row-span-2">
            <QuestionField
              value={texts.question}
              isInvalid={problemField === 'question'}
              isReadOnly={isSaving}
              onChange={(question) => change({ question })}
            />
            <ImageFields
              images={images}
              captions={texts.captions}
              areMissing={problemField === 'images'}
              isReadOnly={isSaving}
              canPick={phase === 'editing'}
              onPick={(option, file) => void pick(option, file)}
              onCaption={(option, caption) => change({ captions: { ...texts.captions, [option]: caption } })}
            />
          </div>
          <DurationAndResponsesFields texts={texts} maxResponses={maxResponses} onChange={change} />
        </div>
        <CreatePollFooter
          cost={cost}
          spendable={points.spendable}
          isDisabled={phase !== 'editing' || points.spendable < cost}
          submitLabel={SUBMIT_LABELS[phase]}
          onCancel={cancel}
        />
      </form>
    </Modal>
  );
}
