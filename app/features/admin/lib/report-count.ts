import { queryOptions } from '@tanstack/react-query';
import { fetchReportCount } from '#app/features/admin/queries.ts';

const REFETCH_INTERVAL_MS = 30_000;

/** The number of reported polls without a decision. */
export const reportCountQuery = queryOptions({
  queryKey: ['report count'],
  queryFn: ({ signal }) => fetchReportCount(signal),
  refetchOnWindowFocus: true,
  refetchInterval: REFETCH_INTERVAL_MS,
});
