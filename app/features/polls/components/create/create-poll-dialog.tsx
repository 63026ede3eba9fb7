import { X } from 'lucide-react';
import { type FormEvent, useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import { createPoll } from '#app/features/polls/actions.ts';
import { useKeepingDraft } from '#app/features/polls/hooks/use-draft.ts';
import { useImages } from '#app/features/polls/hooks/use-images.ts';
import {
  draftOf,
  isReading,
  type PollForm,
  type Problem,
  problemOf,
  type StartingForm,
  startingTexts,
} from '#app/features/polls/lib/create-poll-form.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { IconButton } from '#app/ui/button.tsx';
import { Coin } from '#app/ui/icon.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { MIN_RESPONSES } from '#shared/polls/constants.ts';
import type { PointsView } from '#sync/client/outbox/overlay.ts';
import { DurationField, QuestionField, ResponsesField } from './create-poll-fields.tsx';
import { CreatePollFooter } from './create-poll-footer.tsx';
import { ImageFields } from './image-field.tsx';

type Props = { points: PointsView; start?: StartingForm; onClose(): void };
type Texts = Omit<PollForm, 'images'>;
/** - `reading`: Create Poll was pressed while an image was still being read, and is done as soon as it is */
type Phase = 'editing' | 'reading' | 'saving';

const LABELS: Record<Phase, string> = {
  editing: 'Create Poll',
  reading: 'Reading the picture…',
  saving: 'Saving…',
};

/** Create Poll: the whole screen on a phone, two columns on a desktop. Closing it clears it. */
export default function CreatePollDialog({ points, start, onClose }: Props) {
  const titleId = useId();
  const isSignedIn = useSession().status === 'user';
  const spendable = isSignedIn ? points.spendable : null;
  const most = Math.max(MIN_RESPONSES, points.spendable);
  const [texts, setTexts] = useState<Texts>(() => startingTexts(start, most));
  const [refusal, setRefusal] = useState<Problem | null>(null);
  const [phase, setPhase] = useState<Phase>('editing');
  const formRef = useRef<HTMLFormElement>(null);
  const { images, pick } = useImages(start?.pictures);
  const form: PollForm = useMemo(() => ({ ...texts, images }), [texts, images]);
  const dropDraft = useKeepingDraft(form, start?.replacesOpId);
  const change = (part: Partial<Texts>) => setTexts((before) => ({ ...before, ...part }));
  const isShort = points.spendable < texts.responsesWanted;

  // What was wrong needs no more words once it is put right, or the form is gone.
  if (refusal !== null && refusal.title !== problemOf(form, spendable)?.title) setRefusal(null);
  const isRefused = refusal !== null;
  useEffect(() => (isRefused ? () => dismissTopic('create-poll') : undefined), [isRefused]);
  useEffect(() => () => dismissTopic('create-poll'), []);

  function close() {
    dropDraft();
    onClose();
  }

  async function handIn() {
    const problem = problemOf(form, spendable);
    setRefusal(problem);
    dismissTopic('create-poll');
    if (problem !== null) {
      setPhase('editing');
      showToast('bad', problem.title, problem.text, 'create-poll');
      if (problem.field === 'question') formRef.current?.querySelector('textarea')?.focus();
      return;
    }
    const draft = draftOf(form);
    setPhase(draft === null ? 'reading' : 'saving');
    if (draft === null) return;
    if (await createPoll(draft, start?.replacesOpId)) close();
    else setPhase('editing');
  }

  const isRead = phase === 'reading' && !isReading(form);
  const handInRead = useEffectEvent(handIn);
  useEffect(() => {
    if (isRead) void handInRead();
  }, [isRead]);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (phase === 'editing') void handIn();
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
        onSubmit={submit}
        className="grid h-full grid-rows-[auto_1fr_auto] md:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)] md:gap-x-9 md:px-7 md:pb-6"
      >
        <header className="flex min-h-14 flex-wrap items-center gap-2 px-4 pt-[env(safe-area-inset-top)] md:col-span-2 md:min-h-20 md:px-0">
          <IconButton
            icon={X}
            label="Close"
            onClick={close}
            className="-ml-3 md:-mr-3 md:order-last md:ml-1"
          />
          <h2 id={titleId} className="wrap-break-word min-w-0 flex-1 text-question md:text-title">
            {start?.replacesOpId === undefined ? 'Create Poll' : 'Edit Poll'}
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
              isMarked={refusal?.field === 'question'}
              onChange={(question) => change({ question })}
            />
            <ImageFields
              images={images}
              captions={texts.captions}
              areMissing={refusal?.field === 'images'}
              onPick={pick}
              onCaption={(option, caption) => change({ captions: { ...texts.captions, [option]: caption } })}
            />
          </div>
          <div className="grid content-start gap-5 md:gap-6">
            <DurationField days={texts.durationDays} onChange={(durationDays) => change({ durationDays })} />
            <ResponsesField
              value={texts.responsesWanted}
              max={most}
              onChange={(responsesWanted) => change({ responsesWanted })}
            />
          </div>
        </div>
        <CreatePollFooter
          cost={texts.responsesWanted}
          spendable={points.spendable}
          isDisabled={phase !== 'editing' || isShort}
          label={LABELS[phase]}
          onCancel={close}
        />
      </form>
    </Modal>
  );
}
