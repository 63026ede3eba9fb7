import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, PersistentVolumeClaim, Secret, Service } from 'kubernetes-models/v1';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readEnv, VARIABLE_NAMES } from '#api/env.ts';
import { ROOT } from '#scripts/run/root.ts';

/** Variables of Node. */
const OTHER_VARIABLES = ['NODE_ENV', 'NODE_EXTRA_CA_CERTS'];
/** A name, and a version that does not move by itself to the next major one. */
const PINNED = /^[\w./-]+:v?\d+\.\d[\w.-]*$/;
/** What validates each kind of manifest. */
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
  names.filter((name) => !VARIABLE_NAMES.includes(name) && !OTHER_VARIABLES.includes(name));
const missing = (paths: readonly string[]) => paths.filter((path) => !existsSync(join(ROOT, path)));

/** A value with the default of what it takes from the environment. */
const resolved = (value: string) =>
  value.replace(/\$\{\w+(?::-([^}]*))?\}/g, (_, preset) => preset ?? 'x'.repeat(16));

const compose: Compose = parse(read('compose.yaml'), { merge: true });
const services = Object.entries(compose.services);
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ');
const manifests: Manifest[] = parseAllDocuments(read('deploy/kubernetes.yaml')).map((one) => one.toJS());
const { version }: { version: string } = JSON.parse(read('package.json'));

test.each(services)(
  'the service %s of compose.yaml has a pinned image, and all that it names is there',
  (_, service) => {
    expect(service.image).toMatch(PINNED);
    expect(['small', 'full']).toEqual(expect.arrayContaining(service.profiles));
    const sources = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    expect(missing(sources.filter((source) => source.startsWith('.')))).toEqual([]);
    const named = sources.filter((source) => !source.startsWith('.'));
    expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(named));
    const configs = (service.configs ?? []).map(({ source }) => source);
    expect(Object.keys(compose.configs)).toEqual(expect.arrayContaining(configs));
    const needed = Array.isArray(service.depends_on)
      ? service.depends_on
      : Object.keys(service.depends_on ?? {});
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(needed));
  },
);

test('of compose.yaml only the proxy can be reached from other machines', () => {
  const open = services.filter(([, { ports = [] }]) => ports.some((port) => !port.startsWith('127.0.0.1:')));
  expect(open.map(([name]) => name)).toEqual(['caddy']);
});

test.each(['app', 'api'])('the server takes the configuration of the service %s', (name) => {
  const variables = Object.entries(compose.services[name]?.environment ?? {});
  expect(unknownVariables(variables.map(([variable]) => variable))).toEqual([]);
  expect(() =>
    readEnv(Object.fromEntries(variables.map(([key, value]) => [key, resolved(value)]))),
  ).not.toThrow();
});

test('in compose.yaml queries share connections through the pooler, and what needs a session goes past it', () => {
  const { DATABASE_URL = '', DATABASE_DIRECT_URL = '' } = compose.services.api?.environment ?? {};
  expect(new URL(DATABASE_URL).hostname).toBe('pgbouncer');
  expect(new URL(DATABASE_DIRECT_URL).hostname).toBe('postgres');
  expect(compose.services.pgbouncer?.environment).toMatchObject({ POOL_MODE: 'transaction' });
});

test.each(manifests)('the Kubernetes manifest of kind $kind fits its schema', (manifest) => {
  const model = MODELS.find(({ is }) => is(manifest));
  if (model === undefined) throw new Error(`${manifest.apiVersion} ${manifest.kind} has no model here`);
  expect(() => new model(manifest).validate()).not.toThrow();
});

test('the server takes the configuration of the Kubernetes manifests', () => {
  const variables = Object.assign(
    {},
    ...manifests.map(({ data, stringData }) => ({ ...data, ...stringData })),
  );
  expect(unknownVariables(Object.keys(variables))).toEqual([]);
  expect(readEnv(variables).isHttps).toBe(true);
  const images = read('deploy/kubernetes.yaml').matchAll(/image: (\S+)/g);
  expect([...images].filter(([, image]) => !PINNED.test(image ?? ''))).toEqual([]);
});

test('compose.yaml, the Kubernetes manifests and docs/operating.md name the image of this release', () => {
  for (const path of ['compose.yaml', 'deploy/kubernetes.yaml', 'docs/operating.md']) {
    const named = [...read(path).matchAll(/\bthis-or-that:(\S+)/g)].map(([, tag]) => tag);
    expect(new Set(named), path).toEqual(new Set([version]));
  }
});

test('the Dockerfile has pinned images, copies what is there, and removes nothing that the server loads', () => {
  const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
  expect(images.filter((image) => !PINNED.test(image))).toEqual([]);
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  );
  expect(missing(copied)).toEqual([]);
  const set = [...dockerfile.matchAll(/^ENV (.+)$/gm)].flatMap(([, pairs = '']) => pairs.split(' '));
  expect(unknownVariables(set.map((pair) => pair.split('=')[0] ?? ''))).toEqual([]);

  const [, removed = ''] = /npm uninstall (?:--\S+\s+)*(.+?)\s+&&/.exec(dockerfile) ?? [];
  const packages = removed.split(/\s+/);
  expect(packages).toContain('lucide-react');
  const files = globSync('{api,shared,sync/protocol,sync/operations}/**/*.ts', { cwd: ROOT }).filter(
    (path) => !/\.test\.ts$|\/testing\//.test(path),
  );
  const loaded = new Set(
    files.flatMap((path) =>
      [...read(path).matchAll(/(?:from|import)\s*\(?'([^'.#][^']*)'/g)].map(([, name]) => name ?? ''),
    ),
  );
  expect(
    packages.filter((name) => [...loaded].some((one) => one === name || one.startsWith(`${name}/`))),
  ).toEqual([]);
  expect(loaded).toContain('hono');
});

test('the systemd units set variables of the server and start what is there', () => {
  for (const unit of globSync('deploy/*.service', { cwd: ROOT })) {
    const text = read(unit);
    const names = [...text.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name);
    expect(unknownVariables(names)).toEqual([]);
    expect(
      missing([...text.matchAll(/(?:api|scripts|deploy)\/[\w-]+\.(?:ts|sh)/g)].map(([path]) => path)),
    ).toEqual([]);
  }
});

test('alerts and dashboard use metrics that the server has', () => {
  const source = globSync('api/**/*.ts', { cwd: ROOT }).map(read).join('\n');
  const used = [read('deploy/alerts.yaml'), read('deploy/grafana/dashboard.json')]
    .join('\n')
    .match(/\b[a-z]+(?:_[a-z0-9]+)+(?=[\s{[)])/g);
  const ours = new Set((used ?? []).map((name) => name.replace(/_bucket$/, '')));
  expect(ours).toContain('http_requests_total');
  const unknown = [...ours].filter(
    (name) => !/^(?:process|nodejs|histogram)_/.test(name) && !source.includes(`'${name}'`),
  );
  expect(unknown).toEqual([]);
});

test('docs/operating.md explains every message of the log', () => {
  const source = globSync('api/**/*.ts', { cwd: ROOT })
    .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
    .map(read)
    .join('\n');
  const calls = /\b(?:log\.(?:info|warn|error|fatal)|failed)\(((?:[^()]|\([^()]*\))*)\)/g;
  const messages = [...source.matchAll(calls)].flatMap(([, given = '']) =>
    [...given.matchAll(/(['`])([A-Z](?:(?!\1).)+)\1/g)].map(([, , message = '']) =>
      message.replace(/\$\{[^}]+\}/g, '…'),
    ),
  );
  expect(messages.length).toBeGreaterThan(35);
  const text = read('docs/operating.md');
  expect(messages.filter((message) => !text.includes(message))).toEqual([]);
});

test.each(['README.md', '.env.example'])('%s has every variable', (path) => {
  const names = VARIABLE_NAMES.filter((name) => name !== 'PUSH_TEST_ORIGIN');
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(read(path)))).toEqual([]);
});
