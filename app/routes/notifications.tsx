import { Bell, MessageCircle } from 'lucide-react';
import { Link } from 'react-router-dom';
import { usePageTitle } from '#app/lib/page-title.ts';
import { paths } from '#app/paths.ts';
import { EmptyState, IconPair } from '#app/ui/empty-state.tsx';

export default function NotificationsRoute() {
  usePageTitle('Notifications');
  return (
    <EmptyState
      level={1}
      picture={<IconPair icons={[Bell, MessageCircle]} />}
      title="No Notifications Yet"
      text="All quiet. The polls are open, though."
    >
      <Link to={paths.home.href()} className="key key-primary">
        See the polls
      </Link>
    </EmptyState>
  );
}
