import type { CDPSession, Page } from '@playwright/test';

/** A passkey provider in the browser, whose user consents by default. */
export type VirtualAuthenticator = {
  /** The number of stored passkeys. */
  count(): Promise<number>;
  /** From now on the user consents to requests, including the offer of passkeys in a form field. */
  giveConsent(): Promise<void>;
  /** From now on requests get no consent. */
  withholdConsent(): Promise<void>;
  /**
   * Pages opened from now on show a `confirm` dialog in place of the browser's dialog, which a virtual authenticator does not have.
   * Dismissing the dialog cancels the request. The offer in a form field has no dialog.
   */
  showDialogs(): Promise<void>;
};

/** Adds an authenticator with user verification to the browser of `page`. */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const devTools: CDPSession = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const setPresence = async (enabled: boolean) => {
    await devTools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  };
  return {
    count: async () =>
      (await devTools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    giveConsent: () => setPresence(true),
    withholdConsent: () => setPresence(false),
    showDialogs: async () => {
      await page.addInitScript(() => {
        const get = navigator.credentials.get.bind(navigator.credentials);
        navigator.credentials.get = async (options) => {
          if (options?.mediation === 'conditional' || confirm('Use a passkey?')) return get(options);
          throw new DOMException('The user cancelled.', 'NotAllowedError');
        };
      });
    },
  };
}
