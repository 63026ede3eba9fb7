import type { ReportReason } from '#shared/reports/schema.ts';

/** The reasons of reports, in the order of the report dialog. */
export const REPORT_REASONS: Readonly<Record<ReportReason, { label: string; description: string }>> = {
  nudity: { label: 'Nudity', description: 'Naked bodies or sexual acts' },
  violence: { label: 'Violence', description: 'Injuries, cruelty, threats' },
  hate: { label: 'Hate', description: 'Against people for who they are' },
  spam: { label: 'Spam', description: 'Advertising, or the same again and again' },
  illegal: { label: 'Illegal', description: 'Weapons, drugs, stolen images' },
  other: { label: 'Something else', description: 'Say it in your own words' },
};

/** "Reported as spam"; only "Reported" if the reason is `other` or unknown. */
export function reportedTitle(reason: ReportReason = 'other'): string {
  return reason === 'other' ? 'Reported' : `Reported as ${REPORT_REASONS[reason].label.toLowerCase()}`;
}
