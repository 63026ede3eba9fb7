import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Settings } from '#api/storage/s3-variables.ts';
import { freePort } from '#api/testing/servers/free-port.ts';
import { hasExited, spawnNode } from '#scripts/run/children.ts';

/** A bucket on an S3 server that tests can kill. */
export class S3Storage {
  readonly #folder: string;
  readonly #port: number;
  #child: ChildProcess | null = null;
  #settings: S3Settings | null = null;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  static async start(): Promise<S3Storage> {
    const storage = new S3Storage(await mkdtemp(join(tmpdir(), 'this-or-that-s3-')), await freePort());
    await storage.restart();
    return storage;
  }

  /** The environment variables of a server that uses this bucket. */
  get env(): Record<string, string> {
    if (this.#settings === null) throw new Error('The storage is not running.');
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = this.#settings;
    return {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    };
  }

  /** Starts the S3 server, for the first time or after a kill, with all acknowledged objects. */
  async restart(): Promise<void> {
    const args = [join(import.meta.dirname, 's3-process.ts'), String(this.#port), this.#folder];
    const child = spawnNode(args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child = child;
    const [settings]: S3Settings[] = await once(child, 'message');
    this.#settings = settings ?? null;
  }

  /** Ends the S3 server with `kill -9`. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || hasExited(child)) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
