import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useJobUnderWay } from '#app/features/admin/hooks/use-jobs.ts';
import { useKeptFocus } from '#app/features/admin/hooks/use-kept-focus.ts';
import { startSamples } from '#app/features/admin/lib/job-actions.ts';
import { topicOf } from '#app/features/admin/lib/job-words.ts';
import { isIgnoredUserId, readSampleInput } from '#app/features/admin/lib/sample-input.ts';
import { showToast } from '#app/lib/toasts.ts';
import { Key } from '#app/ui/button.tsx';
import { Field } from '#app/ui/field.tsx';
import { OnlineOnly } from '#app/ui/online-only.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { SAMPLE_COUNT_DEFAULT, SAMPLE_COUNT_MAX, SAMPLE_COUNT_MIN } from '#shared/admin/constants.ts';
import { JobProgress } from './job-progress.tsx';

/** Has polls made up, so many at once; shows how far that is. */
export function SampleForm() {
  const job = useJobUnderWay('generate-polls');
  const place = useKeptFocus();
  return (
    <div ref={place} tabIndex={-1} className="outline-none">
      {job === null ? <Form /> : <JobProgress job={job} />}
    </div>
  );
}

function Form() {
  const [count, setCount] = useState(String(SAMPLE_COUNT_DEFAULT));
  const [userId, setUserId] = useState('');
  const [error, setError] = useState<string | null>(null);
  const { mutate: start, isPending: isStarting } = useMutation({ mutationFn: startSamples });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isStarting) return;
    const read = readSampleInput(count, userId);
    setError(read.error);
    if (read.error !== null) {
      showToast('bad', 'Invalid input', read.error, topicOf('generate-polls'));
      event.currentTarget.querySelector('input')?.focus();
      return;
    }
    start(read.input);
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
        isBad={isIgnoredUserId(userId)}
        hint={
          isIgnoredUserId(userId)
            ? 'This is no number: the polls will be yours.'
            : 'Whose polls they will be; yours if it is empty.'
        }
        onChange={(event) => setUserId(event.target.value)}
      />
      <OnlineOnly>There is no connection. Generating needs one.</OnlineOnly>
      <Key type="submit">{isStarting ? 'Starting…' : 'Generate polls'}</Key>
    </form>
  );
}

export function SamplePolls() {
  return (
    <Panel title="Sample polls">
      <SampleForm />
    </Panel>
  );
}
