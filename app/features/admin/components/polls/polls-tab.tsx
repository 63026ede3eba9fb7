import { BulkUpload } from '#app/features/admin/components/jobs/bulk-upload.tsx';
import { SamplePolls } from '#app/features/admin/components/jobs/sample-polls.tsx';
import { PollList } from './poll-list.tsx';

/** The polls, and the ways to make many at once. */
export function PollsTab({ typed }: { typed: string }) {
  return (
    <>
      <PollList typed={typed} />
      <div className="grid items-start gap-2.5 pt-5 md:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)] md:gap-5">
        <BulkUpload />
        <SamplePolls />
      </div>
    </>
  );
}
