/** A fake of `document.cookie`: reading returns all cookies, writing sets one. */
export class FakeCookies extends EventTarget {
  readonly #jar = new Map<string, string>();
  /** The cookie that was written last, with its attributes. */
  lastWritten = '';

  get cookie(): string {
    return [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  set cookie(text: string) {
    this.lastWritten = text;
    const [pair = '', ...attributes] = text.split('; ');
    const [name = '', value = ''] = pair.split('=');
    if (attributes.includes('max-age=0')) this.#jar.delete(name);
    else this.#jar.set(name, value);
  }
}
