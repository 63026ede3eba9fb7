import type { ReportReason } from '#shared/reports/schema.ts';

type ReasonTexts = { label: string; description: string; asReported: string };

/** The reasons of reports, in the order of the report dialog. */
export const REPORT_REASONS: Readonly<Record<ReportReason, ReasonTexts>> = {
  nudity: {
    label: 'Nudity',
    description: 'Naked bodies or sexual acts',
    asReported: 'Reported as nudity',
  },
  violence: {
    label: 'Violence',
    description: 'Injuries, cruelty, threats',
    asReported: 'Reported as violence',
  },
  hate: { label: 'Hate', description: 'Against people for who they are', asReported: 'Reported as hate' },
  spam: {
    label: 'Spam',
    description: 'Advertising, or the same again and again',
    asReported: 'Reported as spam',
  },
  illegal: {
    label: 'Illegal',
    description: 'Weapons, drugs, stolen images',
    asReported: 'Reported as illegal',
  },
  other: { label: 'Something else', description: 'Say it in your own words', asReported: 'Reported' },
};
