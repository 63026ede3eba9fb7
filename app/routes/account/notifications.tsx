import { NotificationList } from '#app/features/notifications/components/notification-list.tsx';
import { PushSwitch } from '#app/features/notifications/components/push-switch.tsx';
import { TooFewPoints } from '#app/features/points/components/too-few-points.tsx';
import { PollThumbnail } from '#app/features/polls/components/card/poll-thumbnail.tsx';
import { useUser } from '#app/lib/engine/session.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { CreatePollButton } from '#app/routes/polls/create-poll.tsx';

export default function NotificationsRoute() {
  const user = useUser();
  usePageTitle('Notifications');
  if (user === null) return null;
  return (
    <div className="mx-auto w-full max-w-[35rem]">
      <h1 className="pt-3 text-title max-md:hidden">Notifications</h1>
      <NotificationList
        key={user.id}
        createButton={
          <>
            <CreatePollButton />
            <TooFewPoints className="text-muted" />
          </>
        }
        pushSwitch={<PushSwitch userId={user.id} />}
        renderThumbnail={(poll) => <PollThumbnail poll={poll} isRow />}
      />
    </div>
  );
}
