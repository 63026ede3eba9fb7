import * as z from 'zod/mini';

/** Where the app sends page views and events (Plausible's events API); null: nowhere. */
export const analyticsSchema = z.object({ endpoint: z.nullable(z.url()) });
export type Analytics = z.infer<typeof analyticsSchema>;

export const ANALYTICS_PATH = '/api/analytics';
