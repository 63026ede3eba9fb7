import { useLocation } from 'react-router-dom';
import ConnectionCard from '#app/features/connection/components/connection-card.tsx';
import { paths } from '#app/paths.ts';
import { BottomStack } from '#app/ui/bottom-stack.tsx';
import { ToastRegion } from '#app/ui/toast-region.tsx';
import { Flights } from './flights.tsx';
import { UpdatePrompt } from './update-prompt.tsx';

/** What may appear over every screen: the connection's card, toasts, the update prompt and the flying points. */
export default function Notices() {
  const { pathname } = useLocation();
  return (
    <>
      <ConnectionCard />
      <BottomStack layer={pathname === paths.auth.href() ? 'top' : 'toasts'}>
        <ToastRegion />
        <UpdatePrompt />
      </BottomStack>
      <Flights />
    </>
  );
}
