import { MyPolls } from '#app/features/polls/components/my-polls.tsx';
import { usePageTitle } from '#app/lib/page-title.ts';
import { CreatePollKey } from './create-poll.tsx';

export default function MyPollsRoute() {
  usePageTitle('My polls');
  return (
    <>
      <div className="flex items-center justify-between gap-3 pb-3 md:py-3">
        <h1 className="px-1 text-title md:px-0">My Polls</h1>
        <CreatePollKey className="md:px-5" />
      </div>
      <MyPolls />
    </>
  );
}
