import { onlineManager, QueryClient } from '@tanstack/react-query';
import { reachableState } from '#app/lib/engine/online.ts';

onlineManager.setEventListener((setOnline) => {
  const tell = () => setOnline(reachableState.get());
  tell();
  return reachableState.subscribe(tell);
});

/**
 * What the server has told an administrator; forgotten when nothing on the screen shows it. While the server is out of
 * reach nothing is asked for: what could not be asked for is asked when it is back.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { gcTime: 0, refetchOnWindowFocus: false, retry: () => !onlineManager.isOnline() },
    mutations: { networkMode: 'always' },
  },
});
