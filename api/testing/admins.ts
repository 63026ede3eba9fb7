import type { AuditAction } from '#shared/admin/schema.ts';
import type { TestApp, TestUser } from './test-app.ts';

/** A browser in which a new administrator is logged in. */
export async function signUpAdmin(
  app: Pick<TestApp, 'db' | 'signUp'>,
  fields?: Parameters<TestApp['signUp']>[0],
): Promise<TestUser> {
  const admin = await app.signUp(fields);
  await app.db.sql`update users set is_admin = true where id = ${admin.user.id}`;
  return admin;
}

/** What administrators have done to `target`, in order. */
export async function auditOf({ db }: Pick<TestApp, 'db'>, target: string) {
  return [
    ...(await db.sql<{ adminId: number | null; action: AuditAction }[]>`
      select admin_id as "adminId", action from audit_entries where target = ${target} order by id`),
  ];
}
