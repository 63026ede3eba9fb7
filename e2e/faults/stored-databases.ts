/** One object store as it is stored, with its rows. */
type StoredStore = {
  name: string;
  keyPath: string | string[] | null;
  autoIncrement: boolean;
  indexes: { name: string; keyPath: string | string[]; unique: boolean; multiEntry: boolean }[];
  rows: unknown[];
};

/** One IndexedDB database; `version` is the browser's number, ten times that of Dexie. */
export type StoredDatabase = { name: string; version: number; stores: StoredStore[] };

/** How bytes are written in JSON: as base64. */
type Bytes = { $base64: string };

function isBytes(value: unknown): value is Bytes {
  return typeof value === 'object' && value !== null && '$base64' in value;
}

/** Reads every database whose name begins with `prefix`, without any code of the app. */
export async function readDatabases(factory: IDBFactory, prefix: string): Promise<StoredDatabase[]> {
  const found: StoredDatabase[] = [];
  for (const { name = '' } of await factory.databases()) {
    if (!name.startsWith(`${prefix}-`)) continue;
    const db = await done(factory.open(name));
    const stores: StoredStore[] = [];
    for (const storeName of db.objectStoreNames) {
      const store = db.transaction(storeName).objectStore(storeName);
      const indexes = [...store.indexNames].map((indexName) => {
        const { keyPath, unique, multiEntry } = store.index(indexName);
        return { name: indexName, keyPath, unique, multiEntry };
      });
      const { keyPath, autoIncrement } = store;
      stores.push({ name: storeName, keyPath, autoIncrement, indexes, rows: await done(store.getAll()) });
    }
    found.push({ name, version: db.version, stores });
    db.close();
  }
  return found;
}

/** Stores databases as they were read, in the version of their schema, without any code of the app. */
export async function writeDatabases(
  factory: IDBFactory,
  databases: readonly StoredDatabase[],
): Promise<void> {
  for (const { name, version, stores } of databases) {
    const opening = factory.open(name, version);
    opening.onupgradeneeded = () => {
      for (const { name: storeName, keyPath, autoIncrement, indexes } of stores) {
        const store = opening.result.createObjectStore(storeName, { keyPath, autoIncrement });
        for (const { name: indexName, keyPath: path, unique, multiEntry } of indexes) {
          store.createIndex(indexName, path, { unique, multiEntry });
        }
      }
    };
    const db = await done(opening);
    for (const { name: storeName, rows } of stores) {
      const transaction = db.transaction(storeName, 'readwrite');
      for (const row of rows) transaction.objectStore(storeName).put(row);
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onerror = () => reject(transaction.error);
      });
    }
    db.close();
  }
}

/** `value` as JSON, with the bytes in it as base64. */
export function toJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_, part: unknown) =>
      part instanceof ArrayBuffer
        ? ({ $base64: Buffer.from(part).toString('base64') } satisfies Bytes)
        : part,
    1,
  );
}

/** The value that `toJson` was given. */
export function fromJson<Value>(text: string): Value {
  return JSON.parse(text, (_, part: unknown) => {
    if (!isBytes(part)) return part;
    const bytes = Buffer.from(part.$base64, 'base64');
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  });
}

function done<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
