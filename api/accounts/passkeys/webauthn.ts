/** Loads the WebAuthn library at the first use of a passkey: its 330 modules would delay every start of the server. */
export const loadWebAuthn = () => import('@simplewebauthn/server');

export const loadWebAuthnHelpers = () => import('@simplewebauthn/server/helpers');
