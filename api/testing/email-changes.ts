import { mailTo, tokenIn } from './mails.ts';
import type { TestApp, TestUser } from './test-app.ts';

/** What people do to have another email, and to have it back. */
export function createEmailChanges(app: TestApp) {
  let addresses = 0;
  return {
    newAddress(): string {
      addresses += 1;
      return `address${addresses}@example.com`;
    },
    request: (client: TestUser, email: string) =>
      client.patch('/api/user', { email, currentPassword: client.password }),
    /** Opens the link of the last mail to an address. */
    open: async (address: string) =>
      app.visitor().get(`/api/verify-email?token=${tokenIn(await mailTo(app, address))}`),
    undo: (token: string) => app.visitor().post('/api/undo-email-change', { token }),
    emailOf: async ({ user }: TestUser) => {
      const [row] = await app.db.sql`
        select email, pending_email as "pendingEmail", is_verified as "isVerified" from users where id = ${user.id}`;
      return row;
    },
  };
}
