import { type ChangeEvent, type FormEvent, useRef, useState } from 'react';
import type * as z from 'zod/mini';
import { ApiError } from '#app/lib/api-error.ts';

type Values<Name extends string> = Record<Name, string>;
type Options<Name extends string, Input> = {
  initial: Values<Name>;
  parse(values: Values<Name>): z.core.util.SafeParseResult<Input>;
  send(input: Input): Promise<void>;
};

/**
 * A small form: what was typed stays, errors stand beside their fields until they are typed in again,
 * and the first bad field takes the focus.
 */
export function useForm<Name extends string, Input>({ initial, parse, send }: Options<Name, Input>) {
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Partial<Record<string, string>>>({});
  const [isSending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  function mark(issues: readonly { path: PropertyKey | undefined; message: string }[]) {
    const next: Partial<Record<string, string>> = {};
    for (const { path, message } of issues) next[String(path)] ??= message;
    setErrors(next);
    const first = Object.keys(initial).find((name) => next[name] !== undefined);
    if (first !== undefined) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
  }

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (isSending) return;
    const parsed = parse(values);
    if (!parsed.success) {
      mark(parsed.error.issues.map((issue) => ({ path: issue.path[0], message: issue.message })));
      return;
    }
    setErrors({});
    setSending(true);
    try {
      await send(parsed.data);
    } catch (error) {
      if (error instanceof ApiError) mark(error.issues);
    } finally {
      setSending(false);
    }
  }

  return {
    ref: form,
    isSending,
    onSubmit: (event: FormEvent) => void onSubmit(event),
    values,
    field: (name: Name) => ({
      name,
      value: values[name],
      error: errors[name] ?? null,
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        setValues((before) => ({ ...before, [name]: event.target.value }));
        setErrors((before) => ({ ...before, [name]: undefined }));
      },
    }),
  };
}
