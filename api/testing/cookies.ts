/** The value of the `Cookie` header with which a browser sends the cookies of a response. */
export function cookieHeader({ headers }: Pick<Response, 'headers'>): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
}
