import * as z from 'zod/mini';
import { sessionCookieName } from '#api/http/session/session.ts';
import * as accounts from '#shared/accounts/contract.ts';
import * as passkeys from '#shared/accounts/passkeys/contract.ts';
import * as activity from '#shared/activity/contract.ts';
import * as admin from '#shared/admin/contract.ts';
import type { Call } from '#shared/contract.ts';
import * as explore from '#shared/explore/contract.ts';
import { EXPECTED_EPOCH_HEADER, EXPECTED_USER_HEADER } from '#shared/http.ts';
import * as notifications from '#shared/notifications/contract.ts';
import * as polls from '#shared/polls/contract.ts';
import * as reports from '#shared/reports/contract.ts';
import * as service from '#shared/service/contract.ts';
import {
  describeOperation,
  type Json,
  NAMED_SCHEMAS,
  type OperationDocument,
  refTo,
} from './describe-operation.ts';

export type OpenApiDocument = {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, OperationDocument>>;
  components: { schemas: Record<string, Json>; securitySchemes: Json };
};

/** The calls of the contract, in groups. */
export const GROUPS: Readonly<Record<string, Readonly<Record<string, Call>>>> = {
  Accounts: { ...accounts, ...passkeys },
  Polls: polls,
  Explore: explore,
  Reports: reports,
  Activity: activity,
  Notifications: notifications,
  Administration: admin,
  Service: service,
};

/** The OpenAPI document of all calls of the contract. `isHttps`: whether people open the app over https. */
export function buildDocument(version: string, isHttps: boolean): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const [group, calls] of Object.entries(GROUPS)) {
    for (const call of Object.values(calls).sort((a, b) => (a.path < b.path ? -1 : 1))) {
      const method = call.method.toLowerCase();
      paths[call.path] = { ...paths[call.path], [method]: describeOperation(group, call) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'This or That?',
      version,
      description:
        'Two images, one question: let the crowd decide. Errors have a code that clients can rely on. ' +
        `Any call with a session can name the expected user (by id) in ${EXPECTED_USER_HEADER} and the expected epoch ` +
        `of the server (the epoch of the user) in ${EXPECTED_EPOCH_HEADER}: if the session belongs to another user or the ` +
        'server has another epoch, the call has no effect and the response is 409 actor_mismatch.',
    },
    paths,
    components: {
      schemas: namedSchemas(),
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: sessionCookieName(isHttps) } },
    },
  };
}

function namedSchemas(): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED_SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => refTo(id).$ref });
  const entries = Object.entries(schemas).map(([id, { $id: _id, $schema: _dialect, ...rest }]) => [id, rest]);
  return Object.fromEntries(entries);
}
