import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Handle } from '#api/db/client.ts';
import type { TestApp, TestUser } from './test-app.ts';

/** Writes the queued mails to files, and returns the newest mail to `address`. */
export async function mailTo({ deps }: Pick<TestApp, 'deps'>, address: string): Promise<Email> {
  await deps.mails.runDue();
  const folder = join(deps.env.dataDir, 'mail');
  const idOf = (name: string) => Number(/-(\d+)\.eml$/.exec(name)?.[1]);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.eml'));
  for (const name of files.toSorted((one, other) => idOf(other) - idOf(one))) {
    const mail = await PostalMime.parse(await readFile(join(folder, name)));
    if (mail.to?.some((to) => to.address === address)) return mail;
  }
  throw new Error(`No mail to ${address}.`);
}

/** Makes every queued mail due, and expires all leases. */
export async function makeMailsDue({ sql }: Pick<Handle, 'sql'>): Promise<void> {
  await sql`update mail_queue set next_attempt_at = now(), leased_until = now() - interval '1 second'`;
}

/** The token in the link of a mail. */
export function tokenIn({ text = '' }: Email): string {
  return /\?token=([A-Za-z0-9_-]+)/.exec(text)?.[1] ?? '';
}

/** The steps of changing an email address, and of undoing the change. */
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

/** How the server handles mails: it accepts them, rejects them at one command, or accepts them without a response. */
type MailHandling =
  | 'accept'
  | 'hang up after the mail'
  | 'keep waiting after the mail'
  | 'keep waiting after the next mail only'
  | { at: 'from' | 'rcpt' | 'data'; code: number; text: string };

export type Smtp = {
  url: string;
  /** Every mail that arrived completely and was not rejected, even if the sender got no response. */
  received: Email[];
  /** How many times a mail was offered. */
  offers: number;
  handling: MailHandling;
  /** Stops listening until `listenAgain` is called. */
  stopListening(): Promise<void>;
  listenAgain(): Promise<void>;
};

/** A real SMTP server on a free port of this machine. */
export async function startSmtp(): Promise<Smtp> {
  let server = await listen(0);
  const address = server.server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;

  const smtp: Smtp = {
    url: `smtp://127.0.0.1:${port}`,
    received: [],
    offers: 0,
    handling: 'accept',
    stopListening: () => new Promise((done) => server.close(() => done())),
    listenAgain: async () => {
      server = await listen(port);
    },
  };
  return smtp;

  async function listen(onPort: number): Promise<SMTPServer> {
    const smtpServer = new SMTPServer({
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      closeTimeout: 100,
      onMailFrom: (_address, _session, callback) => callback(refusal('from')),
      onRcptTo(_address, _session, callback) {
        smtp.offers += 1;
        callback(refusal('rcpt'));
      },
      async onData(stream, _session, callback) {
        const source = await text(stream);
        const error = refusal('data');
        if (error !== null) return callback(error);
        smtp.received.push(await PostalMime.parse(source));
        if (smtp.handling === 'accept') return callback(null);
        if (smtp.handling === 'keep waiting after the mail') return;
        if (smtp.handling === 'keep waiting after the next mail only') {
          smtp.handling = 'accept';
          return;
        }
        for (const connection of smtpServer.connections) connection.close();
      },
    });
    // The app may break off a connection, which is an error of the server too.
    smtpServer.on('error', () => {});
    smtpServer.listen(onPort, '127.0.0.1');
    await once(smtpServer.server, 'listening');
    return smtpServer;
  }

  function refusal(at: 'from' | 'rcpt' | 'data'): Error | null {
    const { handling } = smtp;
    if (typeof handling === 'string' || handling.at !== at) return null;
    return Object.assign(new Error(handling.text), { responseCode: handling.code });
  }
}
