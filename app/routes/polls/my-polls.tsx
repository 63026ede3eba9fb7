import { TooFewPoints } from '#app/features/points/components/too-few-points.tsx';
import { MyPolls } from '#app/features/polls/components/my-polls.tsx';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { CreatePollButton } from './create-poll.tsx';

export default function MyPollsRoute() {
  usePageTitle('My Polls');
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 pb-3 md:py-3">
        <h1 className="px-1 text-title md:px-0">My Polls</h1>
        <CreatePollButton className="md:px-5" />
        <TooFewPoints className="w-full px-1 text-muted md:text-right" />
      </div>
      <MyPolls />
    </>
  );
}
