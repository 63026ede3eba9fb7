import { html } from 'hono/html';
import type { LinkPurpose, NoticePurpose } from '#api/db/schema/mail.ts';
import {
  DELETION_DELAY_DAYS,
  RESET_TOKEN_TTL_MINUTES,
  SUSPENSION_EXPLANATION,
  UNDO_TOKEN_TTL_DAYS,
  VERIFICATION_TOKEN_TTL_HOURS,
} from '#shared/accounts/constants.ts';
import { REMOVED_POLLS_KEPT_DAYS } from '#shared/reports/constants.ts';
import type { ReportReason } from '#shared/reports/schema.ts';
import { type Message, mailButton, mailLink, mailPage, smallPrint } from './mail-page.ts';
import type { LetterContent } from './prepare-letter.ts';

const UNDO = {
  path: '/undo-email-change',
  button: 'Undo the change',
  note: `The link works for ${UNDO_TOKEN_TTL_DAYS} days. It also logs you out on every device.`,
  footnote: 'If this was you, there is nothing to do.',
};

/** The texts that replace those of `UNDO` in an `email-change` to an address that was never verified. */
const UNDO_TO_UNVERIFIED = {
  note: `The link works until the new email is confirmed, for ${UNDO_TOKEN_TTL_DAYS} days at most. It also logs you out on every device.`,
  footnote: 'If this was you, or you have never used this app, there is nothing to do.',
};

/** The texts that notices about changed credentials share. */
const CREDENTIAL = {
  path: '/settings',
  button: 'Open the settings',
  note: 'Not you? Change your password there, log out your other devices, and remove any passkeys that are not yours.',
  footnote: 'If this was you, there is nothing to do.',
};

/** The texts that replace those of `CREDENTIAL` in notices with a link that undoes the change. */
const UNDOABLE_CREDENTIAL = {
  path: '/undo-passkeys',
  button: 'This was not me',
  note: `The link works once, for ${UNDO_TOKEN_TTL_DAYS} days. It removes new passkeys, turns off a new second step, and logs you out on every device.`,
};

/** The texts of each mail: `note` is the paragraph below the button, `footnote` the small print. */
const TEXTS = {
  verify: {
    path: '/verify-email',
    subject: 'Confirm your email for This or That?',
    lead: 'One tap and your email is confirmed. Then back to the important questions.',
    button: 'Confirm my email',
    note: `The link works for ${VERIFICATION_TOKEN_TTL_HOURS} hours.`,
    footnote:
      'If you did not ask for this, someone probably mistyped their address. You can ignore this email.',
  },
  reset: {
    path: '/reset-password',
    subject: 'Choose a new password for This or That?',
    lead: 'You asked to reset your password. Choose a new one here, then log in with it on all your devices.',
    button: 'Choose a new password',
    note: `The link works once, for ${RESET_TOKEN_TTL_MINUTES} minutes.`,
    footnote: 'If you did not ask for this, ignore this email: your password stays the same.',
  },
  'email-change': {
    ...UNDO,
    subject: 'Somebody wants to change the email on your account',
    lead: 'A new email was requested for your account on This or That? It takes effect when the link we sent there is opened. Not you? Undo it here, then choose a new password: whoever asked for this knows yours.',
  },
  'email-changed': {
    ...UNDO,
    subject: 'The email on your account was changed',
    lead: 'Your account on This or That? has a new email, and this is no longer its address. Not you? Undo it here, then choose a new password.',
  },
  'email-replaced': {
    path: '/auth',
    subject: 'The email on your account was changed',
    lead: 'Your account on This or That? has a new email, which was confirmed. The account no longer uses this address, which was never confirmed.',
    button: 'Open This or That?',
    note: 'Not you? Then somebody knows your password: change it wherever else you use it. This address is free for a new account.',
    footnote: 'If this was you, or you have never used this app, there is nothing to do.',
  },
  'password-changed': {
    path: '/auth',
    subject: 'Your password was changed',
    lead: 'The password of your account on This or That? was changed. On devices that are now logged out, log in with the new one.',
    button: 'Log in',
    note: 'Not you? Choose "Forgot password?" there: the link that sets a new password goes to this address.',
    footnote: 'If this was you, there is nothing to do.',
  },
  'username-changed': {
    ...CREDENTIAL,
    subject: 'Your username was changed',
    lead: 'Your account on This or That? has a new username. Log in with the new one or with your email: the old one no longer works.',
  },
  'passkey-added': {
    ...CREDENTIAL,
    subject: 'A passkey was added to your account',
    lead: 'Your account on This or That? has a new passkey. Anyone who has it can log in.',
  },
  'passkey-removed': {
    ...CREDENTIAL,
    subject: 'A passkey was removed from your account',
    lead: 'A passkey was removed from your account on This or That? It can no longer be used to log in, and other devices that logged in with it have been logged out.',
  },
  'second-step-on': {
    ...CREDENTIAL,
    subject: 'Your account now asks for a passkey',
    lead: 'The second step was turned on for your account on This or That? From now on, each login asks for a passkey or a recovery code after the password.',
  },
  'second-step-off': {
    ...CREDENTIAL,
    subject: 'Your account no longer asks for a passkey',
    lead: 'The second step was turned off for your account on This or That? The password alone is now enough to log in.',
  },
  'recovery-codes-renewed': {
    ...CREDENTIAL,
    subject: 'You have new recovery codes',
    lead: 'New recovery codes were created for your account on This or That? The old ones no longer work.',
  },
  'recovery-code-used': {
    ...CREDENTIAL,
    subject: 'One of your recovery codes was used',
    lead: 'Somebody has logged in to your account on This or That? with the password and a recovery code. That code will not work again.',
  },
  deletion: {
    path: '/settings',
    subject: 'Your account will be deleted',
    lead: `You asked us to delete your account on This or That? It will be deleted within ${DELETION_DELAY_DAYS} days. Until then, you can keep it: log in and open Settings.`,
    button: 'Keep my account',
    note: 'Then your name, email and points are gone for good.',
    footnote: 'Not you? Keep your account, then change your password: whoever asked for this knows it.',
  },
} satisfies Record<LinkPurpose | NoticePurpose, Record<string, string>>;

/** What a removed poll has broken, as it completes the sentence `It broke …`. */
const BROKEN: Readonly<Record<ReportReason, string>> = {
  nudity: 'a rule: no nudity',
  violence: 'a rule: no violence',
  hate: 'a rule: no hate',
  spam: 'a rule: no spam',
  illegal: 'a rule: nothing illegal',
  other: 'our rules',
};

function textsOf(letter: LetterContent) {
  if (letter.purpose === 'removal') return removalTexts(letter);
  const { path, ...texts } = {
    ...TEXTS[letter.purpose],
    ...(isUndoableCredential(letter) && UNDOABLE_CREDENTIAL),
    ...(letter.purpose === 'email-change' && !letter.isVerified && UNDO_TO_UNVERIFIED),
  };
  return { ...texts, path: 'token' in letter ? `${path}?token=${letter.token}` : path };
}

function removalTexts({ rule, isSuspended }: Extract<LetterContent, { purpose: 'removal' }>) {
  const reason = `People reported one of your polls, and we have reviewed it. It broke ${BROKEN[rule]}.`;
  const removal = {
    path: '/rules',
    subject: 'Your poll on This or That? was removed',
    lead: reason,
    button: 'Read the rules',
    note: `My Polls shows which one it was, for ${REMOVED_POLLS_KEPT_DAYS} days. Then it is deleted.`,
    footnote: 'You are getting this email because the poll was created with your account.',
  };
  if (!isSuspended) return removal;
  return {
    ...removal,
    subject: 'Your account on This or That? is suspended',
    lead: `${reason} The poll was removed, and your account is suspended. ${SUSPENSION_EXPLANATION}`,
    note: 'The suspension has no end date. Your points and your other polls are kept.',
  };
}

function isUndoableCredential(letter: LetterContent): boolean {
  return 'token' in letter && (letter.purpose === 'passkey-added' || letter.purpose === 'second-step-on');
}

/**
 * Writes the text and HTML of a mail. Its link always leads to `publicUrl`, never to a host named in a request. It contains
 * nothing that a user has chosen: a username may look like a web address, which mail programs turn into a link.
 */
export async function writeMessage(publicUrl: string, letter: LetterContent): Promise<Message> {
  const { path, subject, lead, button, note, footnote } = textsOf(letter);
  const link = `${publicUrl}${path}`;
  const text = `Hi,

${lead}

${link}

${note}

${footnote}

This or That? Let the crowd decide!
${publicUrl}
`;
  const content = html`<p>${lead}</p>
${mailButton(link, button)}
<p>${note}</p>
${smallPrint('If the button does not work, open this address:', html`<br>`, mailLink(link))}
${smallPrint(footnote)}`;
  return { subject, text, html: await mailPage(subject, content) };
}
