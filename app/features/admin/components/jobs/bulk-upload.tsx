import { useAtom, useAtomValue } from 'jotai';
import { ImagePlus } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import {
  bulkFieldsAtom,
  bulkFilesAtom,
  bulkStateAtom,
  type UploadingState,
} from '#app/features/admin/atoms.ts';
import { useActiveJob } from '#app/features/admin/hooks/use-jobs.ts';
import {
  addFiles,
  cancelBulkUpload,
  clearFiles,
  isUploading,
  submitBulkUpload,
} from '#app/features/admin/lib/bulk-actions.ts';
import { imageAndPollCountLabel, pairingError } from '#app/features/admin/lib/bulk-files.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { Progress } from '#app/ui/feedback/progress.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { FieldError, SliderField } from '#app/ui/forms/field.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { Panel } from '#app/ui/panel.tsx';
import {
  BULK_FILES_MAX,
  BULK_RESPONSES_MAX,
  BULK_RESPONSES_MIN,
  BULK_RESPONSES_STEP,
} from '#shared/admin/constants.ts';
import { DURATION_MAX_DAYS, DURATION_MIN_DAYS } from '#shared/polls/constants.ts';
import { BulkPairs } from './bulk-pairs.tsx';
import { JobProgress } from './job-progress.tsx';

export function BulkUpload() {
  const bulkState = useAtomValue(bulkStateAtom);
  const job = useActiveJob('bulk-upload');
  return (
    <Panel title="Bulk image upload">
      <FocusFallback>
        {isUploading(bulkState) && <BulkProgress bulkState={bulkState} />}
        {job !== null && (
          <JobProgress
            job={job}
            note="Continues if you leave this page. If you stop it, no polls are created."
          />
        )}
        {bulkState.phase === 'choosing' && job === null && <BulkForm />}
      </FocusFallback>
    </Panel>
  );
}

function BulkProgress({ bulkState }: { bulkState: UploadingState }) {
  const isCompressing = bulkState.phase === 'compressing';
  const share = isCompressing ? bulkState.done / bulkState.total : bulkState.share;
  return (
    <Progress
      name={isCompressing ? 'Shrinking large images' : 'Uploading'}
      label={isCompressing ? `${bulkState.done} of ${bulkState.total}` : `${Math.round(share * 100)}%`}
      share={share}
      note="Keep this page open until the upload is done."
    >
      <SecondaryButton onClick={cancelBulkUpload}>Cancel</SecondaryButton>
    </Progress>
  );
}

function BulkForm() {
  const [fields, setFields] = useAtom(bulkFieldsAtom);
  const files = useAtomValue(bulkFilesAtom);
  const { duration, responsesWanted } = fields;
  const [error, setError] = useState<string | null>(null);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const problem = pairingError(files.length);
    setError(problem);
    if (problem === null) void submitBulkUpload();
    else event.currentTarget.querySelector<HTMLElement>('[type=file]')?.focus();
  }

  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <FileDrop error={error} onFiles={(chosen) => setError(addFiles(chosen))} />
      {files.length > 0 && (
        <>
          <div className="flex flex-wrap items-center justify-between gap-x-3">
            <p role="status" className="font-semibold text-body">
              {imageAndPollCountLabel(files.length)}
            </p>
            <SecondaryButton
              ghost
              onClick={({ currentTarget }) => {
                clearFiles();
                setError(null);
                currentTarget.form?.querySelector<HTMLElement>('[type=file]')?.focus();
              }}
            >
              Remove all
            </SecondaryButton>
          </div>
          <BulkPairs files={files} />
        </>
      )}
      <div className="grid gap-4 md:grid-cols-2 md:gap-5">
        <SliderField
          label="Duration"
          min={DURATION_MIN_DAYS}
          max={DURATION_MAX_DAYS}
          value={duration}
          valueLabel={countLabel(duration, 'day')}
          onChange={(days) => setFields({ ...fields, duration: days })}
        />
        <SliderField
          label="Responses wanted"
          min={BULK_RESPONSES_MIN}
          max={BULK_RESPONSES_MAX}
          step={BULK_RESPONSES_STEP}
          value={responsesWanted}
          onChange={(count) => setFields({ ...fields, responsesWanted: count })}
        />
      </div>
      <OfflineNotice>You are offline. Connect to upload images.</OfflineNotice>
      <PrimaryButton type="submit">Upload images</PrimaryButton>
    </form>
  );
}

type DropProps = { error: string | null; onFiles(files: readonly File[]): void };

/** A transparent file input covers the whole area, so that taps, drops and the keyboard work natively. */
function FileDrop({ error, onFiles }: DropProps) {
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <div
        className={`relative grid min-h-32 place-content-center justify-items-center gap-1 rounded-image border-2 border-dashed p-4 text-center has-focus-visible:outline-3 has-focus-visible:outline-base-content ${error === null ? 'border-edge' : 'border-error'}`}
      >
        <span className="flex items-center gap-2 font-bold font-display text-label">
          <Icon icon={ImagePlus} />
          Choose or drop images
        </span>
        <span id={`${id}-hint`} className="text-muted text-small">
          Up to {BULK_FILES_MAX}, paired in order: 1 with 2, 3 with 4.
        </span>
        <input
          type="file"
          multiple
          accept="image/*"
          aria-label="Choose or drop images"
          aria-describedby={`${id}-hint ${id}-error`}
          aria-invalid={error !== null}
          className="absolute inset-0 cursor-pointer opacity-0"
          onChange={(event) => {
            const chosen = [...(event.target.files ?? [])];
            event.target.value = '';
            if (chosen.length > 0) onFiles(chosen);
          }}
        />
      </div>
      <p id={`${id}-error`} role="alert" className="empty:absolute">
        {error !== null && <FieldError>{error}</FieldError>}
      </p>
    </div>
  );
}
