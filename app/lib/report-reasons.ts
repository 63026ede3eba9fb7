import type { ReportReason } from '#shared/reports/schema.ts';

type ReasonTexts = { label: string; description: string; reportedTitle: string };

/** The reasons of reports, in the order of the report dialog. */
export const REPORT_REASONS: Readonly<Record<ReportReason, ReasonTexts>> = {
  nudity: {
    label: 'Nudity',
    description: 'Naked bodies or sexual acts',
    reportedTitle: 'Reported as nudity',
  },
  violence: {
    label: 'Violence',
    description: 'Injuries, cruelty, threats',
    reportedTitle: 'Reported as violence',
  },
  hate: { label: 'Hate', description: 'Against people for who they are', reportedTitle: 'Reported as hate' },
  spam: {
    label: 'Spam',
    description: 'Advertising, or the same again and again',
    reportedTitle: 'Reported as spam',
  },
  illegal: {
    label: 'Illegal',
    description: 'Weapons, drugs, stolen images',
    reportedTitle: 'Reported as illegal',
  },
  other: { label: 'Something else', description: 'Say it in your own words', reportedTitle: 'Reported' },
};
