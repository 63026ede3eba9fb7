import { paths } from '#app/paths.ts';

/** The link with which friends sign up. */
export function referralLink(code: string): string {
  return `${location.origin}${paths.auth.href({ ref: code })}`;
}
