import { onlineManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { reachableState } from '#app/lib/engine/online.ts';

onlineManager.setEventListener((setOnline) => {
  const update = () => setOnline(reachableState.get());
  update();
  return reachableState.subscribe(update);
});

/**
 * The cache of the administrators' screens; data is dropped when no component shows it. Queries are paused while the server is
 * unreachable, and sent once it is reachable again.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      gcTime: 0,
      refetchOnWindowFocus: false,
      // A retry is paused, too: a query that lost the connection is sent again once the server is reachable.
      retry: () => !onlineManager.isOnline(),
    },
    // A change is not paused: it fails while the server is unreachable, instead of being sent later.
    mutations: { networkMode: 'always' },
  },
});

/** Wraps `Content` in a provider of the query client. */
export function withQueries<Props extends object>(Content: ComponentType<Props>): ComponentType<Props> {
  return (props) => (
    <QueryClientProvider client={queryClient}>
      <Content {...props} />
    </QueryClientProvider>
  );
}
