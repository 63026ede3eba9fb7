import * as z from 'zod/mini';
import { batchInputSchema, batchResponseSchema } from '#shared/batch.ts';
import type { Call } from '#shared/contract.ts';
import { healthSchema } from '#shared/http.ts';

/** The URL to which the app sends page views and events (Plausible events API); null if analytics are off. */
const analyticsSchema = z.object({ endpoint: z.nullable(z.string()) });

export const readHealth = {
  method: 'GET',
  path: '/api/health',
  summary: 'Liveness check',
  access: 'public',
  responses: { 200: { description: 'The server is running', content: healthSchema } },
} as const satisfies Call;

export const readReadiness = {
  method: 'GET',
  path: '/api/ready',
  summary: 'Readiness check: whether the database responds',
  access: 'public',
  isRateLimited: true,
  responses: { 200: { description: 'The server can handle requests', content: 'application/json' } },
  errors: ['unavailable'],
} as const satisfies Call;

export const readAnalyticsSettings = {
  method: 'GET',
  path: '/api/analytics',
  summary: 'Returns the analytics endpoint, if configured',
  access: 'public',
  responses: { 200: { description: 'The URL, or null', content: analyticsSchema } },
} as const satisfies Call;

export const sendBatch = {
  method: 'POST',
  path: '/api/batch',
  summary: 'Batches several votes in one request; each is processed as if sent individually',
  access: 'anyone',
  json: batchInputSchema,
  responses: {
    200: { description: 'The responses, in request order', content: batchResponseSchema },
  },
} as const satisfies Call;

export const readOpenApiDocument = {
  method: 'GET',
  path: '/api/openapi.json',
  summary: 'Returns the OpenAPI document of this API',
  access: 'anyone',
  responses: { 200: { description: 'The OpenAPI document', content: 'application/json' } },
} as const satisfies Call;

export const readDocs = {
  method: 'GET',
  path: '/api/docs',
  summary: 'Returns the API documentation as a web page',
  access: 'anyone',
  responses: { 200: { description: 'The documentation', content: 'text/html' } },
} as const satisfies Call;

export const readDocsStyle = {
  method: 'GET',
  path: '/api/docs/style.css',
  summary: 'Returns the stylesheet of the documentation page',
  access: 'anyone',
  responses: { 200: { description: 'The stylesheet', content: 'text/css' } },
} as const satisfies Call;
