import type { Notification, NotificationsPage } from '#shared/notifications/schema.ts';
import type { TestClient } from './test-client.ts';

/** Sends `GET /api/notifications`. */
export async function notificationsOf(client: TestClient, query = ''): Promise<NotificationsPage> {
  return (await client.get(`/api/notifications${query}`)).json();
}

/** The kinds of a user's notifications, newest first. */
export async function kindsOf(client: TestClient): Promise<Notification['kind'][]> {
  return (await notificationsOf(client)).data.map(({ kind }) => kind);
}

/** Sends `POST /api/notifications/read`. */
export function postRead(client: TestClient, upTo: unknown): Promise<Response> {
  return client.post('/api/notifications/read', { upTo });
}
