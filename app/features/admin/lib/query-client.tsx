import { onlineManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { reachableState } from '#app/lib/engine/online.ts';

onlineManager.setEventListener((setOnline) => {
  const update = () => setOnline(reachableState.get());
  update();
  return reachableState.subscribe(update);
});

/**
 * Holds what administrators' screens have fetched, for as long as it is on the screen. Queries are paused while the
 * server is unreachable and sent when it is back.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { gcTime: 0, refetchOnWindowFocus: false, retry: () => !onlineManager.isOnline() },
    mutations: { networkMode: 'always' },
  },
});

/** Gives `Content`, and what it renders, the query client. */
export function withQueries<Props extends object>(Content: ComponentType<Props>): ComponentType<Props> {
  return (props) => (
    <QueryClientProvider client={queryClient}>
      <Content {...props} />
    </QueryClientProvider>
  );
}
