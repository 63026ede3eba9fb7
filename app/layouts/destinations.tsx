import type { ReactNode } from 'react';
import { paths } from '#app/paths.ts';
import { PollsIcon } from '#app/ui/polls-icon.tsx';

/** Where the header, its menu and the bottom nav lead, in order. */
export const DESTINATIONS: readonly { to: string; label: string; icon: ReactNode }[] = [
  { to: paths.home.href(), label: 'Polls', icon: <PollsIcon /> },
];
