import { LayoutList, Settings } from 'lucide-react';
import { paths } from '#app/paths.ts';
import { Icon } from '#app/ui/icon.tsx';
import { type Destination, headerDestinations, makeDestination, profile } from './navigation.tsx';

const myPolls = makeDestination('My Polls', <Icon icon={LayoutList} />, paths.myPolls);
const settings = makeDestination('Settings', <Icon icon={Settings} />, paths.settings);

export function menuDestinations(isAdmin: boolean): Destination[] {
  // Profile is not marked as the current screen at /settings, which has its own link here.
  return [...headerDestinations(isAdmin), myPolls, { ...profile, alternatePath: undefined }, settings];
}
