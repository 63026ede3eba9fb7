import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, PersistentVolumeClaim, Secret, Service } from 'kubernetes-models/v1';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readEnv, VARIABLE_NAMES } from '#api/env.ts';
import { ROOT } from '#scripts/run/root.ts';

/** Variables that Node reads. */
const NODE_VARIABLES = ['NODE_ENV', 'NODE_EXTRA_CA_CERTS'];
/** An image with a tag of at least major and minor version, which never refers to a later major version. */
const PINNED_IMAGE = /^[\w./-]+:v?\d+\.\d[\w.-]*$/;
/** The models that validate the manifests, one for each kind. */
const MODELS = [
  ConfigMap,
  Deployment,
  Ingress,
  Namespace,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Secret,
  Service,
];

type ComposeService = {
  profiles: string[];
  image: string;
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  configs?: { source: string }[];
  depends_on?: string[] | Record<string, unknown>;
};
type Compose = {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
  configs: Record<string, unknown>;
};
type Manifest = {
  apiVersion: string;
  kind: string;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
};

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const unknownVariables = (names: readonly string[]) =>
  names.filter((name) => !VARIABLE_NAMES.includes(name) && !NODE_VARIABLES.includes(name));
const missingFiles = (paths: readonly string[]) => paths.filter((path) => !existsSync(join(ROOT, path)));

/** Replaces references to environment variables by their defaults, or by a dummy value. */
const withDefaults = (value: string) =>
  value.replace(/\$\{\w+(?::-([^}]*))?\}/g, (_, defaultValue) => defaultValue ?? 'x'.repeat(16));

const compose: Compose = parse(read('compose.yaml'), { merge: true });
const services = Object.entries(compose.services);
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ');
const manifests: Manifest[] = parseAllDocuments(read('deploy/kubernetes.yaml')).map((document) =>
  document.toJS(),
);
const { version }: { version: string } = JSON.parse(read('package.json'));

test.each(services)(
  'the service %s of compose.yaml has a pinned image and refers only to files and services that exist',
  (_, service) => {
    expect(service.image).toMatch(PINNED_IMAGE);
    expect(['small', 'full']).toEqual(expect.arrayContaining(service.profiles));
    const sources = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    expect(missingFiles(sources.filter((source) => source.startsWith('.')))).toEqual([]);
    const volumes = sources.filter((source) => !source.startsWith('.'));
    expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(volumes));
    const configs = (service.configs ?? []).map(({ source }) => source);
    expect(Object.keys(compose.configs)).toEqual(expect.arrayContaining(configs));
    const dependencies = Array.isArray(service.depends_on)
      ? service.depends_on
      : Object.keys(service.depends_on ?? {});
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(dependencies));
  },
);

test('in compose.yaml only the proxy can be reached from other machines', () => {
  const open = services.filter(([, { ports = [] }]) => ports.some((port) => !port.startsWith('127.0.0.1:')));
  expect(open.map(([name]) => name)).toEqual(['caddy']);
});

test.each(['app', 'api'])('the server accepts the configuration of the service %s', (name) => {
  const variables = Object.entries(compose.services[name]?.environment ?? {});
  expect(unknownVariables(variables.map(([variable]) => variable))).toEqual([]);
  expect(() =>
    readEnv(Object.fromEntries(variables.map(([key, value]) => [key, withDefaults(value)]))),
  ).not.toThrow();
});

test('in compose.yaml queries go through PgBouncer, and session features use a direct connection', () => {
  const { DATABASE_URL = '', DATABASE_DIRECT_URL = '' } = compose.services.api?.environment ?? {};
  expect(new URL(DATABASE_URL).hostname).toBe('pgbouncer');
  expect(new URL(DATABASE_DIRECT_URL).hostname).toBe('postgres');
  expect(compose.services.pgbouncer?.environment).toMatchObject({ POOL_MODE: 'transaction' });
});

test.each(manifests)('the Kubernetes manifest of kind $kind matches its schema', (manifest) => {
  const model = MODELS.find(({ is }) => is(manifest));
  if (model === undefined) throw new Error(`MODELS has no model for ${manifest.apiVersion} ${manifest.kind}`);
  expect(() => new model(manifest).validate()).not.toThrow();
});

test('the Kubernetes manifests have pinned images and a configuration that the server accepts', () => {
  const variables = Object.assign(
    {},
    ...manifests.map(({ data, stringData }) => ({ ...data, ...stringData })),
  );
  expect(unknownVariables(Object.keys(variables))).toEqual([]);
  expect(readEnv(variables).isHttps).toBe(true);
  const images = read('deploy/kubernetes.yaml').matchAll(/image: (\S+)/g);
  expect([...images].filter(([, image]) => !PINNED_IMAGE.test(image ?? ''))).toEqual([]);
});

test('compose.yaml, the Kubernetes manifests and docs/operating.md use the image of this release', () => {
  for (const path of ['compose.yaml', 'deploy/kubernetes.yaml', 'docs/operating.md']) {
    const tags = [...read(path).matchAll(/\bthis-or-that:(\S+)/g)].map(([, tag]) => tag);
    expect(new Set(tags), path).toEqual(new Set([version]));
  }
});

test('the Dockerfile has pinned images, refers only to files and variables that exist, and removes no package that the server loads', () => {
  const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
  expect(images.filter((image) => !PINNED_IMAGE.test(image))).toEqual([]);
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  );
  expect(missingFiles(copied)).toEqual([]);
  const set = [...dockerfile.matchAll(/^ENV (.+)$/gm)].flatMap(([, pairs = '']) => pairs.split(' '));
  expect(unknownVariables(set.map((pair) => pair.split('=')[0] ?? ''))).toEqual([]);

  const [, removed = ''] = /npm uninstall (?:--\S+\s+)*(.+?)\s+&&/.exec(dockerfile) ?? [];
  const packages = removed.split(/\s+/);
  // This expectation and the last one show that the patterns find packages.
  expect(packages).toContain('lucide-react');
  const files = globSync('{api,shared}/**/*.ts', { cwd: ROOT }).filter(
    (path) => !/\.test\.ts$|\/testing\//.test(path),
  );
  const loaded = new Set(
    files.flatMap((path) =>
      [...read(path).matchAll(/(?:from|import)\s*\(?'([^'.#][^']*)'/g)].map(([, name]) => name ?? ''),
    ),
  );
  expect(
    packages.filter((name) =>
      [...loaded].some((specifier) => specifier === name || specifier.startsWith(`${name}/`)),
    ),
  ).toEqual([]);
  expect(loaded).toContain('hono');
});

test.each([
  ['deletes nothing if the backup cannot be restored', 'exit 1', ['old']],
  ['replaces the contents of the volume', 'mkdir -p "$DATA_DIR/db" "$DATA_DIR/uploads"', ['db', 'uploads']],
])('the restore in containers as in docs/operating.md %s', (_, restore, expected) => {
  const [, command = ''] = /this-or-that:\S+ \\\n\s+sh -ec '([^']+)'/.exec(read('docs/operating.md')) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'tot-restore-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'old'), '');
  // In the container, `/data` is the default of DATA_DIR.
  const stubs = `export DATA_DIR=${folder}; node() { ${restore}; }; chown() { :; }; `;
  spawnSync('sh', ['-ec', stubs + command.replaceAll('/data', folder)]);
  expect(command).toContain('scripts/restore.ts');
  expect(readdirSync(folder).toSorted()).toEqual(expected);
});

test('the systemd units set known variables, require their files of variables, and run existing scripts', () => {
  const units = globSync('deploy/*.service', { cwd: ROOT });
  expect(units).toContain('deploy/this-or-that.service');
  for (const unit of units) {
    const text = read(unit);
    // With `-` a missing file would be ignored, and the server would start on an embedded database.
    expect(text).not.toContain('EnvironmentFile=-');
    const names = [...text.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name);
    expect(unknownVariables(names)).toEqual([]);
    expect(
      missingFiles([...text.matchAll(/(?:api|scripts|deploy)\/[\w-]+\.(?:ts|sh)/g)].map(([path]) => path)),
    ).toEqual([]);
  }
});

test('alerts and dashboard use metrics that the server exports', () => {
  const source = globSync('api/**/*.ts', { cwd: ROOT }).map(read).join('\n');
  const used = [read('deploy/alerts.yaml'), read('deploy/grafana/dashboard.json')]
    .join('\n')
    .match(/\b[a-z]+(?:_[a-z0-9]+)+(?=[\s{[)])/g);
  const names = new Set((used ?? []).map((name) => name.replace(/_bucket$/, '')));
  expect(names).toContain('http_requests_total');
  const unknown = [...names].filter(
    (name) => !/^(?:process|nodejs|histogram)_/.test(name) && !source.includes(`'${name}'`),
  );
  expect(unknown).toEqual([]);
});

test('docs/operating.md explains every log message', () => {
  const source = globSync('api/**/*.ts', { cwd: ROOT })
    .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
    .map(read)
    .join('\n');
  // The arguments of a call may themselves contain calls, but these no further ones.
  const calls = /\b(?:log\.(?:info|warn|error|fatal)|logAs)\(((?:[^()]|\([^()]*\))*)\)/g;
  const messages = [...source.matchAll(calls)].flatMap(([, given = '']) =>
    [...given.matchAll(/(['`])([A-Z](?:(?!\1).)+)\1/g)].map(([, , message = '']) =>
      message.replace(/\$\{[^}]+\}/g, '…'),
    ),
  );
  // Shows that the patterns find the messages.
  expect(messages.length).toBeGreaterThan(35);
  const text = read('docs/operating.md');
  expect(messages.filter((message) => !text.includes(message))).toEqual([]);
});

test.each(['README.md', '.env.example'])('%s documents every variable', (path) => {
  const names = VARIABLE_NAMES.filter((name) => name !== 'PUSH_TEST_ORIGIN');
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(read(path)))).toEqual([]);
});
