import { Compass, Telescope } from 'lucide-react';
import { Link } from 'react-router-dom';
import { usePageTitle } from '#app/lib/page-title.ts';
import { paths } from '#app/paths.ts';
import { EmptyState, IconPair } from '#app/ui/empty-state.tsx';

export default function ExploreRoute() {
  usePageTitle('Explore');
  return (
    <EmptyState
      level={1}
      picture={<IconPair icons={[Compass, Telescope]} />}
      title="Coming Soon"
      text="New ways to find polls are on their way here. The latest ones are waiting for your vote."
    >
      <Link to={paths.home.href()} className="key key-primary">
        See the polls
      </Link>
    </EmptyState>
  );
}
