/** An object store with its schema and rows. */
type StoredStore = {
  name: string;
  keyPath: string | string[] | null;
  autoIncrement: boolean;
  indexes: { name: string; keyPath: string | string[]; unique: boolean; multiEntry: boolean }[];
  rows: unknown[];
};

/** An IndexedDB database. `version` is the browser's number, ten times that of Dexie. */
export type StoredDatabase = { name: string; version: number; stores: StoredStore[] };

/** An ArrayBuffer in JSON. */
type Bytes = { $base64: string };

function isBytes(value: unknown): value is Bytes {
  return typeof value === 'object' && value !== null && '$base64' in value;
}

/** Reads all databases whose names begin with `prefix`, without any code of the app. */
export async function readDatabases(factory: IDBFactory, prefix: string): Promise<StoredDatabase[]> {
  const databases: StoredDatabase[] = [];
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
    databases.push({ name, version: db.version, stores });
    db.close();
  }
  return databases;
}

/** Creates databases with the recorded version, schema and rows, without any code of the app. */
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

/** Serializes a value; ArrayBuffers become base64. */
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

/** Parses the result of `toJson`. */
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
