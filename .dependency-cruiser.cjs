/*
 * Who may import whom. Every rule is an error and is shown to be able to fail in test/architecture.test.ts.
 * Tests stand outside: they may reach for whatever they exercise.
 */
const spine = 'contract|edge|kernel|db|intents|adapters|sandbox';
const capability = `^src/(?!(?:${spine})/)([^/]+)/`;
/** Files of a capability by their layer; a capability with two venues has a folder for each. */
const layer = (names) => [`${capability}(?:${names})\\.ts$`, `${capability}[^/]+/(?:${names})\\.ts$`];
const code = '^(src|workers)/';

const npm = (...names) => `node_modules/(@types/)?(${names.join('|')})(/|$)`;
const error = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
/** A package may be imported only from the files given. */
const only = (name, comment, packages, ...files) =>
  error(name, comment, { path: code, pathNot: files }, { path: npm(...packages) });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    error('no-cycles', 'Two files that need each other are one file, or three.', {}, { circular: true }),
    error('resolvable', 'An import names something that is there.', {}, { couldNotResolve: true }),
    error(
      'no-development-packages',
      'What runs in production is listed under dependencies; types are gone by then.',
      { path: code },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),
    error('tests-stay-outside', 'Nothing that ships knows the tests.', { path: code }, { path: '^test/' }),

    only('koa-only-in-edge', 'Capabilities do not know HTTP.', ['koa', '@koa/.+', 'koa-.+'], '^src/edge/'),
    only('ajv-only-in-validate', 'One place reads the schema.', ['ajv', 'ajv-formats'], '^src/edge/validate\\.ts$'),
    only(
      'slonik-only-beside-sql',
      'SQL is written where writes and reads live.',
      ['slonik', '@slonik/.+'],
      '^src/(db|intents)/',
      '^src/release\\.ts$',
      ...layer('intents|outcomes|queries'),
    ),
    only('pg-only-in-db', 'The bare driver serves pools and listening only.', ['pg', 'pg-.+'], '^src/db/'),
    only(
      'queue-only-in-workers',
      'Writes queue by SQL in their own transaction; db/migrate.ts installs the queue for release.ts and the tests.',
      ['graphile-worker'],
      '^src/(worker|release|db/migrate)\\.ts$',
      '^workers/',
    ),
    only('prom-client-only-in-metrics', 'Everyone else records what it has seen.', ['prom-client'], '^src/metrics/'),
    only('got-only-in-adapters', 'Nobody else opens a socket to a party.', ['got'], '^src/(adapters|sandbox)/'),

    error(
      'edge-enters-by-operations',
      'The table of operations is the only door from the edge to the capabilities.',
      { path: '^src/edge/', pathNot: '^src/edge/operations\\.ts$' },
      { path: capability },
    ),
    error(
      'edge-sees-only-http',
      'Behind that door stand the handlers.',
      { path: '^src/edge/' },
      { path: capability, pathNot: layer('http') },
    ),
    error(
      'capabilities-meet-at-intents-and-queries',
      'A capability asks another by its verbs and its reads, never by the files behind them.',
      { path: capability },
      { path: capability, pathNot: ['^src/$1/', ...layer('intents|queries')] },
    ),
    error(
      'adapters-come-from-runtime',
      'Adapters are handed over by runtime.ts; others may know the types they speak, and no more.',
      { path: [capability, '^src/(contract|edge|kernel|db|intents)/', '^workers/'] },
      { path: '^src/adapters/', dependencyTypesNot: ['type-only'] },
    ),
    error(
      'adapters-show-only-types',
      'The types meant for others are in the types.ts of an adapter.',
      { path: [capability, '^src/(contract|edge|kernel|db|intents)/', '^workers/'] },
      { path: '^src/adapters/', pathNot: '^src/adapters/[^/]+/types\\.ts$' },
    ),
    error(
      'rules-are-pure',
      'A rule decides from what it is given: kernel and contract types are all it needs.',
      { path: '^src/.+/rules\\.ts$' },
      { pathNot: ['^src/kernel/', '^src/contract/types\\.ts$'] },
    ),
    error(
      'adapters-know-little',
      'An adapter says it on the wire and decides nothing.',
      { path: '^src/adapters/' },
      { path: '^src/', pathNot: ['^src/(kernel|adapters)/', '^src/(contract/types|config)\\.ts$'] },
    ),
    error(
      'adapters-do-not-meet',
      'What they share is adapters/http.ts.',
      { path: '^src/adapters/([^/]+)' },
      { path: '^src/adapters/', pathNot: ['^src/adapters/$1', '^src/adapters/http\\.ts$'] },
    ),
    error('nobody-imports-workers', 'Tasks are found by their path.', { pathNot: '^test/' }, { path: '^workers/' }),
    error('kernel-stands-alone', 'All may lean on it.', { path: '^src/kernel/' }, { path: '^src/(?!kernel/)' }),
    error(
      'kernel-does-no-io',
      'It computes.',
      { path: '^src/kernel/' },
      { path: '^(node:)?(fs|net|tls|http|https|http2|dgram|dns|child_process|cluster|worker_threads)(/|$)' },
    ),
    error(
      'sandbox-only-from-start',
      'Production can not fall back to it in silence.',
      { path: code, pathNot: ['^src/start\\.ts$', '^src/sandbox/'] },
      { path: '^src/sandbox/' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.d.ts'],
    },
  },
};
