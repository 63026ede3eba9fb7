import { PollDetailSkeleton } from '#app/features/polls/components/poll-detail-skeleton.tsx';

export function PollFallback() {
  return <PollDetailSkeleton />;
}
