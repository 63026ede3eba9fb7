import { ANALYTICS_PATH, analyticsSchema } from '#shared/analytics.ts';
import { BATCH_PATH, batchAnswerSchema, batchInputSchema } from '#shared/batch.ts';
import { healthSchema } from '#shared/http.ts';
import type { Operation } from './describe-operation.ts';
import { listAccountOperations } from './list-account-operations.ts';
import { listAdminOperations } from './list-admin-operations.ts';
import { listPollOperations } from './list-poll-operations.ts';

const SERVICE: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/health',
    group: 'Service',
    summary: 'Whether the server is there',
    access: 'anyone',
    answers: { 200: { description: 'It is', content: healthSchema } },
    errors: [],
  },
  {
    method: 'get',
    path: '/api/ready',
    group: 'Service',
    summary: 'Whether the database answers',
    access: 'anyone',
    answers: { 200: { description: 'It does', content: 'application/json' } },
    errors: [],
  },
  {
    method: 'get',
    path: ANALYTICS_PATH,
    group: 'Service',
    summary: 'Where page views and events are counted, if anywhere',
    access: 'anyone',
    answers: { 200: { description: 'An address, or null', content: analyticsSchema } },
    errors: [],
  },
  {
    method: 'post',
    path: BATCH_PATH,
    group: 'Service',
    summary: 'Takes several votes in one request, each answered as if it had come alone',
    access: 'anyone',
    json: batchInputSchema,
    answers: {
      200: { description: 'The answers, in the order of the requests', content: batchAnswerSchema },
    },
    errors: ['invalid_input', 'too_large', 'unsupported_type'],
  },
  ...(
    [
      ['/api/openapi.json', 'This description, for programs', 'application/json'],
      ['/api/docs', 'This description, for people', 'text/html'],
      ['/api/docs/style.css', 'The style of the page above', 'text/css'],
    ] as const
  ).map(([path, summary, type]): Operation => {
    return {
      method: 'get',
      path,
      group: 'Service',
      summary,
      access: 'anyone',
      answers: { 200: { description: summary, content: type } },
      errors: [],
    };
  }),
];

/** Every call that the server takes, in the order of the documentation. */
export function listOperations(): readonly Operation[] {
  return [...listAccountOperations(), ...listPollOperations(), ...listAdminOperations(), ...SERVICE];
}
