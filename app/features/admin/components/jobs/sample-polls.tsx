import '#app/styles/admin.css';
import { type FormEvent, useState } from 'react';
import { useActiveJob, useJobPolling } from '#app/features/admin/hooks/use-jobs.ts';
import { useStartJob } from '#app/features/admin/hooks/use-start-job.ts';
import { startSampleJob } from '#app/features/admin/lib/job-actions.ts';
import { topicOf } from '#app/features/admin/lib/job-messages.ts';
import { withQueries } from '#app/features/admin/lib/query-client.tsx';
import { isIgnoredUserId, parseSampleInput } from '#app/features/admin/lib/sample-input.ts';
import { showToast } from '#app/lib/toasts.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { Field } from '#app/ui/forms/field.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { SAMPLE_COUNT_DEFAULT, SAMPLE_COUNT_MAX, SAMPLE_COUNT_MIN } from '#shared/admin/constants.ts';
import { JobProgress } from './job-progress.tsx';

export function SampleGenerator() {
  const job = useActiveJob('generate-polls');
  return <FocusFallback>{job === null ? <SampleForm /> : <JobProgress job={job} />}</FocusFallback>;
}

function SampleForm() {
  const [count, setCount] = useState(String(SAMPLE_COUNT_DEFAULT));
  const [userId, setUserId] = useState('');
  const [error, setError] = useState<string | null>(null);
  const { start, isStarting } = useStartJob('generate-polls', startSampleJob);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const parsed = parseSampleInput(count, userId);
    setError(parsed.error);
    if (parsed.error !== null) {
      showToast('error', 'Invalid input', parsed.error, { topic: topicOf('generate-polls') });
      event.currentTarget.querySelector('input')?.focus();
      return;
    }
    start(parsed.input);
  }

  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <Field
        label="Number of polls"
        type="number"
        inputMode="numeric"
        min={SAMPLE_COUNT_MIN}
        max={SAMPLE_COUNT_MAX}
        value={count}
        error={error}
        onChange={(event) => {
          setCount(event.target.value);
          setError(null);
        }}
      />
      <Field
        label="User id (optional)"
        inputMode="numeric"
        autoComplete="off"
        value={userId}
        isInvalid={isIgnoredUserId(userId)}
        hint={
          isIgnoredUserId(userId)
            ? 'Not a number: the polls will be yours.'
            : 'The maker of the polls. Leave empty to make them yours.'
        }
        onChange={(event) => setUserId(event.target.value)}
      />
      <OfflineNotice>You are offline. Connect to generate polls.</OfflineNotice>
      <PrimaryButton type="submit" aria-disabled={isStarting}>
        {isStarting ? 'Starting…' : 'Generate polls'}
      </PrimaryButton>
    </form>
  );
}

export default withQueries(SamplePolls);

/** The generator for screens outside the admin dashboard. */
function SamplePolls() {
  useJobPolling();
  return (
    <div className="admin">
      <h3 className="pb-3 text-label">Sample polls</h3>
      <SampleGenerator />
    </div>
  );
}
