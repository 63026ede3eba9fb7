import * as z from 'zod/mini';
import * as accounts from '#shared/accounts/schema.ts';
import { PREFER_RESPOND_ASYNC } from '#shared/admin/constants.ts';
import * as admin from '#shared/admin/schema.ts';
import { type Call, errorCodesOf } from '#shared/contract.ts';
import { ERROR_STATUS, errorBodySchema } from '#shared/errors.ts';
import {
  EXPECTED_EPOCH_HEADER,
  EXPECTED_USER_HEADER,
  healthSchema,
  IDEMPOTENCY_KEY_HEADER,
} from '#shared/http.ts';
import * as polls from '#shared/polls/schema.ts';

export type Json = Record<string, unknown>;

type QuerySchema = { properties?: Record<string, Json>; required?: string[] };

export type OperationDocument = {
  tags: string[];
  summary: string;
  security?: Record<string, []>[];
  parameters: { name: string; in: string; required: boolean; schema: Json; description?: string }[];
  requestBody?: { required: true; content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
};

export const NAMED_SCHEMAS = {
  User: accounts.userSchema,
  Poll: polls.pollSchema,
  PollList: polls.pollListSchema,
  FeedPage: polls.feedPageSchema,
  MutationResponse: polls.mutationResponseSchema,
  UsernameAvailabilityResponse: accounts.usernameAvailabilitySchema,
  Message: accounts.messageSchema,
  AdminCheck: admin.adminCheckSchema,
  AdminUsers: admin.adminUsersSchema,
  AdminPolls: admin.adminPollsSchema,
  UserAction: admin.userActionSchema,
  PollAction: admin.pollActionSchema,
  Overview: admin.overviewSchema,
  AuditPage: admin.auditPageSchema,
  Job: admin.jobSchema,
  JobList: admin.jobListSchema,
  JobStarted: admin.jobStartedSchema,
  PollsCreated: admin.pollsCreatedSchema,
  ImagesRepaired: admin.imagesRepairedSchema,
  Health: healthSchema,
  Error: errorBodySchema,
};

export const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Describes a call as an OpenAPI operation, including the errors common to all calls of its kind. */
export function describeOperation(group: string, call: Call): OperationDocument {
  const body = requestBody(call);
  return {
    tags: [group],
    summary: call.summary,
    ...(errorCodesOf(call).has('unauthenticated') && { security: [{ session: [] }] }),
    parameters: [...pathParameters(call), ...queryParameters(call), ...headerParameters(call)],
    ...(body === null ? {} : { requestBody: { required: true as const, content: body } }),
    responses: { ...successResponses(call), ...errorResponses(call) },
  };
}

function pathParameters({ path }: Call) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    return { name, in: 'path', required: true, schema: { type: 'string' } };
  });
}

function queryParameters({ query }: Call) {
  const { properties = {}, required = [] } =
    query === undefined ? {} : (jsonSchema(query, 'input') as QuerySchema);
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: 'query', required: required.includes(name), schema };
  });
}

function headerParameters({ acceptsKey, canRespondAsync }: Call) {
  const optional = { in: 'header', required: false };
  if (canRespondAsync) {
    const description = `${PREFER_RESPOND_ASYNC}: the server responds with 202 and the id of the job, and continues in the background`;
    return [{ ...optional, name: 'Prefer', schema: { type: 'string' }, description }];
  }
  if (!acceptsKey) return [];
  return [
    {
      ...optional,
      name: IDEMPOTENCY_KEY_HEADER,
      schema: { type: 'string', format: 'uuid' },
      description: 'The call takes effect once for each key; a repeated call gets the same outcome',
    },
    {
      ...optional,
      name: EXPECTED_USER_HEADER,
      schema: { type: 'string' },
      description: 'The id of the user who made the change; the session of another user cannot make it',
    },
    {
      ...optional,
      name: EXPECTED_EPOCH_HEADER,
      schema: { type: 'string', format: 'uuid' },
      description:
        'The epoch of the server for which the change was made; a server with another epoch does not make it',
    },
  ];
}

function requestBody({ json, form }: Call): Record<string, { schema: Json }> | null {
  if (json !== undefined) return { 'application/json': { schema: jsonSchema(json, 'input') } };
  if (form === undefined) return null;
  const fields = jsonSchema(form.fields, 'input');
  const file = { type: 'string', contentMediaType: 'image/*' };
  const files = form.files.map((name) => [
    name,
    form.areFilesRepeated ? { type: 'array', items: file } : file,
  ]);
  const schema = {
    ...fields,
    properties: { ...(fields.properties as Json), ...Object.fromEntries(files) },
    required: [...((fields.required ?? []) as string[]), ...form.files],
  };
  return { 'multipart/form-data': { schema } };
}

function successResponses(call: Call): OperationDocument['responses'] {
  const entries = Object.entries(call.responses).map(([status, { description, content }]) => {
    if (content === null) return [status, { description }];
    if (typeof content === 'string') return [status, { description, content: { [content]: { schema: {} } } }];
    const name = Object.entries(NAMED_SCHEMAS).find(([, schema]) => schema === content)?.[0];
    const schema = name === undefined ? jsonSchema(content, 'output') : refTo(name);
    return [status, { description, content: { 'application/json': { schema } } }];
  });
  return Object.fromEntries(entries);
}

function errorResponses(call: Call): OperationDocument['responses'] {
  const responses: OperationDocument['responses'] = {};
  for (const code of errorCodesOf(call)) {
    const status = String(ERROR_STATUS[code]);
    const previous = responses[status]?.description;
    const description = previous === undefined ? code : `${previous}, ${code}`;
    responses[status] = { description, content: { 'application/json': { schema: refTo('Error') } } };
  }
  return responses;
}

function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
