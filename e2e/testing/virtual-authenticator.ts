import type { CDPSession, Page } from '@playwright/test';

/** A passkey provider of the browser itself, whose user always agrees. */
export type VirtualAuthenticator = {
  /** How many passkeys it keeps. */
  count(): Promise<number>;
  /** Whether the user agrees when they are asked; they also choose a passkey that a field offers. */
  answer(agrees: boolean): Promise<void>;
};

/** Gives the browser of `page` a device that keeps passkeys and knows its user. */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const client: CDPSession = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    count: async () => (await client.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    answer: async (agrees) => {
      await client.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: agrees });
    },
  };
}
