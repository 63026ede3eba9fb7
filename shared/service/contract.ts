import * as z from 'zod/mini';
import { batchAnswerSchema, batchInputSchema } from '#shared/batch.ts';
import type { Call } from '#shared/contract.ts';
import { healthSchema } from '#shared/http.ts';

/** Where the app sends page views and events (Plausible's events API); null: nowhere. */
const analyticsSchema = z.object({ endpoint: z.nullable(z.url()) });

export const readHealth = {
  method: 'GET',
  path: '/api/health',
  summary: 'Whether the server is there',
  access: 'public',
  answers: { 200: { description: 'It is', content: healthSchema } },
} as const satisfies Call;

export const readReadiness = {
  method: 'GET',
  path: '/api/ready',
  summary: 'Whether the database answers',
  access: 'public',
  answers: { 200: { description: 'It does', content: 'application/json' } },
  errors: ['unavailable'],
} as const satisfies Call;

export const readAnalytics = {
  method: 'GET',
  path: '/api/analytics',
  summary: 'Where page views and events are counted, if anywhere',
  access: 'public',
  answers: { 200: { description: 'An address, or null', content: analyticsSchema } },
} as const satisfies Call;

export const sendBatch = {
  method: 'POST',
  path: '/api/batch',
  summary: 'Takes several votes in one request, each answered as if it had come alone',
  access: 'anyone',
  json: batchInputSchema,
  answers: {
    200: { description: 'The answers, in the order of the requests', content: batchAnswerSchema },
  },
} as const satisfies Call;

export const readDocument = {
  method: 'GET',
  path: '/api/openapi.json',
  summary: 'This description, for programs',
  access: 'anyone',
  answers: { 200: { description: 'This description, for programs', content: 'application/json' } },
} as const satisfies Call;

export const readDocs = {
  method: 'GET',
  path: '/api/docs',
  summary: 'This description, for people',
  access: 'anyone',
  answers: { 200: { description: 'This description, for people', content: 'text/html' } },
} as const satisfies Call;

export const readDocsStyle = {
  method: 'GET',
  path: '/api/docs/style.css',
  summary: 'The style of the page above',
  access: 'anyone',
  answers: { 200: { description: 'The style of the page above', content: 'text/css' } },
} as const satisfies Call;
