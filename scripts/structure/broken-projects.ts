/** A small project that keeps every rule; tests break it in one place. */
export const SOUND: Readonly<Record<string, string>> = {
  'package.json': '',
  'shared/polls/rules.ts': 'export const two = 2;',
  'sync/protocol/op.ts': "import { two } from '#shared/polls/rules.ts';\nexport const op = two;",
  'sync/client/outbox/outbox.ts': "import { op } from '#sync/protocol/op.ts';\nexport const outbox = op;",
  'api/db/client.ts': "import postgres from 'postgres';\nexport const client = postgres;",
  'api/polls/cast-vote.ts': "import { client } from '#api/db/client.ts';\nexport const castVote = client;",
  'api/polls/routes.ts': "import { castVote } from './cast-vote.ts';\nexport const routes = castVote;",
  'app/ui/button.tsx': 'export const Button = 1;',
  'app/features/polls/actions.ts':
    "import { outbox } from '#sync/client/outbox/outbox.ts';\nexport const act = outbox;",
  'app/features/polls/components/card/poll-card.tsx':
    "import { Button } from '#app/ui/button.tsx';\nimport { act } from '#app/features/polls/actions.ts';\nexport function PollCard() { return [Button, act]; }",
  'app/routes/home.tsx':
    "import { PollCard } from '#app/features/polls/components/card/poll-card.tsx';\nexport const Home = PollCard;",
  'app/lib/engine.ts':
    "export const worker = () => new Worker(new URL('./picture-worker.ts', import.meta.url));",
  'app/lib/picture-worker.ts': 'export {};',
};

/** One break of the rules a case: the files that make it, and what is said about which of them. */
export const BROKEN: Record<string, { files: Record<string, string>; says: RegExp; path: string }> = {
  'the app importing the server': {
    path: 'app/lib/x.ts',
    files: { 'app/lib/x.ts': "import { client } from '#api/db/client.ts';\nexport const x = client;" },
    says: /app\/ may not import api\/db\/client\.ts/,
  },
  'a type import across the table': {
    path: 'api/services/x.ts',
    files: {
      'api/services/x.ts':
        "import type { outbox } from '#sync/client/outbox/outbox.ts';\nexport type X = typeof outbox;",
    },
    says: /api\/ may not import sync\/client\/outbox\.ts/,
  },
  'a dynamic import across the table': {
    path: 'sync/client/x.ts',
    files: { 'sync/client/x.ts': "export const x = () => import('#app/ui/button.tsx');" },
    says: /sync\/client\/ may not import app/,
  },
  'the protocol importing the device': {
    path: 'sync/protocol/x.ts',
    files: {
      'sync/protocol/x.ts':
        "import { outbox } from '#sync/client/outbox/outbox.ts';\nexport const x = outbox;",
    },
    says: /belongs in sync\/client/,
  },
  'shared using more than zod/mini': {
    path: 'shared/http.ts',
    files: { 'shared/http.ts': "import 'dexie';" },
    says: /zod\/mini alone/,
  },
  'the large zod': {
    path: 'shared/http.ts',
    files: { 'shared/http.ts': "import * as z from 'zod';\nexport const x = z;" },
    says: /use zod\/mini/,
  },
  'React in the sync engine': {
    path: 'sync/client/x.ts',
    files: { 'sync/client/x.ts': "import 'react';" },
    says: /no place in sync/,
  },
  'the product importing test code': {
    path: 'api/services/x.ts',
    files: { 'api/services/x.ts': "import '#api/testing/y.ts';", 'api/testing/y.ts': 'export {};' },
    says: /for tests only/,
  },
  'ui importing a feature': {
    path: 'app/ui/x.tsx',
    files: { 'app/ui/x.tsx': "import { act } from '#app/features/polls/actions.ts';\nexport const X = act;" },
    says: /the order is routes and layouts -> features -> ui -> lib/,
  },
  'a feature importing another feature': {
    path: 'app/features/points/actions.ts',
    files: {
      'app/features/points/actions.ts':
        "import { act } from '#app/features/polls/actions.ts';\nexport const x = act;",
    },
    says: /compose them in a route/,
  },
  'a service importing a feature': {
    path: 'api/services/x.ts',
    files: {
      'api/services/x.ts': "import { castVote } from '#api/polls/cast-vote.ts';\nexport const x = castVote;",
    },
    says: /the order is app -> features/,
  },
  'the database importing a service': {
    path: 'api/db/x.ts',
    files: { 'api/db/x.ts': "import '#api/services/y.ts';", 'api/services/y.ts': 'export {};' },
    says: /services -> db/,
  },
  'routes touching the database': {
    path: 'api/polls/routes.ts',
    files: { 'api/polls/routes.ts': "import '#api/db/client.ts';\nimport 'drizzle-orm';" },
    says: /routes\.ts only translates HTTP/,
  },
  'reading the environment outside env.ts': {
    path: 'api/services/x.ts',
    files: { 'api/services/x.ts': 'export const x = process.env.HOME;' },
    says: /only reader of the environment/,
  },
  'climbing with ../': {
    path: 'app/ui/x.tsx',
    files: { 'app/ui/x.tsx': "import '../lib/engine.ts';" },
    says: /write #app\/lib\/engine\.ts/,
  },
  'a missing extension': {
    path: 'app/lib/x.ts',
    files: { 'app/lib/x.ts': "import './engine';" },
    says: /lacks its file extension/,
  },
  'an alias within one folder': {
    path: 'app/lib/x.ts',
    files: { 'app/lib/x.ts': "import '#app/lib/engine.ts';" },
    says: /write \.\/engine\.ts/,
  },
  'an unknown alias': {
    path: 'app/lib/x.ts',
    files: { 'app/lib/x.ts': "import '#lib/engine.ts';" },
    says: /is no alias/,
  },
  'a file that does not exist': {
    path: 'app/lib/x.ts',
    files: { 'app/lib/x.ts': "export const x = () => new Worker(new URL('./gone.ts', import.meta.url));" },
    says: /does not exist/,
  },
  'export * from': {
    path: 'shared/http.ts',
    files: { 'shared/http.ts': "export * from './polls/rules.ts';" },
    says: /passes "\*" on/,
  },
  'exporting what was imported': {
    path: 'shared/http.ts',
    files: { 'shared/http.ts': "import { two } from './polls/rules.ts';\nexport { two };" },
    says: /passes "two" on/,
  },
  'an index file': {
    path: 'sync/client/index.ts',
    files: { 'sync/client/index.ts': 'export const x = 1;' },
    says: /no barrels/,
  },
  'an unknown top folder': {
    path: 'utils/x.ts',
    files: { 'utils/x.ts': 'export {};' },
    says: /no top folder/,
  },
  'a stray file at the root': { path: 'notes.md', files: { 'notes.md': '' }, says: /root/ },
  'an unknown noun': {
    path: 'app/features/misc/actions.ts',
    files: { 'app/features/misc/actions.ts': 'export {};' },
    says: /has no place here/,
  },
  'an unknown file name in a feature': {
    path: 'app/features/polls/helpers.ts',
    files: { 'app/features/polls/helpers.ts': 'export {};' },
    says: /queries\.ts, actions\.ts, atoms\.ts, components/,
  },
  'a name that is not kebab-case': {
    path: 'sync/client/outBox.ts',
    files: { 'sync/client/outBox.ts': 'export {};' },
    says: /not kebab-case/,
  },
  'a verb file without its verb': {
    path: 'api/features/polls/close-poll.ts',
    files: { 'api/features/polls/close-poll.ts': 'export const helper = 1;' },
    says: /should export closePoll/,
  },
  'a component file without its component': {
    path: 'app/routes/explore.tsx',
    files: { 'app/routes/explore.tsx': 'export const other = 1;' },
    says: /export a component, such as Explore/,
  },
  'a ring of imports': {
    path: 'sync/client/a.ts',
    files: { 'sync/client/a.ts': "import './b.ts';", 'sync/client/b.ts': "import './a.ts';" },
    says: /sync\/client\/a\.ts -> sync\/client\/b\.ts -> sync\/client\/a\.ts/,
  },
  'a file of 301 lines': {
    path: 'sync/client/x.ts',
    files: { 'sync/client/x.ts': 'export {};\n'.repeat(301) },
    says: /has 301 lines/,
  },
};
