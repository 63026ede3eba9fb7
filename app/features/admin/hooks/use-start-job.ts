import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { JobKind } from '#shared/admin/schema.ts';

/** Returns `start`, which starts a job of this kind unless one is being started: a double click must not start two. */
export function useStartJob<Input>(kind: JobKind, startJob: (input: Input) => Promise<string | null>) {
  const queryClient = useQueryClient();
  const mutationKey = ['start', kind];
  const { mutate, isPending } = useMutation({ mutationKey, mutationFn: startJob });
  return {
    isStarting: isPending,
    start(input: Input) {
      // `isPending` is not up to date before the next render.
      if (queryClient.isMutating({ mutationKey }) === 0) mutate(input);
    },
  };
}
