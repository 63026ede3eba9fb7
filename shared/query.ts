export type QueryParams = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Appends a query string; parameters that are null or undefined are skipped. */
export function withQuery(path: string, parameters: QueryParams): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
