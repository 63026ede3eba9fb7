import { queryOptions } from '@tanstack/react-query';
import { adminRequest } from '#app/features/admin/queries.ts';
import { listReports } from '#shared/admin/contract.ts';

const REFETCH_INTERVAL_MS = 30_000;

/** The number of reported polls without a decision. */
export const reportCountQuery = queryOptions({
  queryKey: ['report count'],
  queryFn: async ({ signal }) => (await adminRequest(listReports, { query: { limit: 1 }, signal })).open,
  refetchOnWindowFocus: true,
  refetchInterval: REFETCH_INTERVAL_MS,
});
