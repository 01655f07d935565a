/*
 * Which file may import which. Every rule is an error. test/architecture.test.ts shows for every rule that it can fail.
 * The rules do not apply to tests: a test may import whatever it exercises.
 */
const spine = 'client|commands|contract|edge|kernel|db|intents|adapters|sandbox|runtime';
const capability = `^src/(?!(?:${spine})/)([^/]+)/`;
/** Files of a capability by layer. A capability with two venues has one folder for each. */
const layer = (names) => [`${capability}(?:${names})\\.ts$`, `${capability}[^/]+/(?:${names})\\.ts$`];
const code = '^(src|workers)/';

const npm = (...names) => `node_modules/(@types/)?(${names.join('|')})(/|$)`;
const error = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
/** A package may be imported only by the given files. */
const only = (name, comment, packages, ...files) =>
  error(name, comment, { path: code, pathNot: files }, { path: npm(...packages) });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    error(
      'no-cycles',
      'Imports form no cycle. Merge files that need each other, or extract what they share.',
      {},
      { circular: true },
    ),
    error(
      'resolvable',
      'Every import can be resolved. Examples import the client as the package that others install.',
      {},
      { couldNotResolve: true, pathNot: '^trading-partner-service/client$' },
    ),
    error(
      'no-development-packages',
      'Packages used in production are listed under dependencies. Type-only imports are exempt: they are erased. Production has no sandbox.',
      { path: code, pathNot: '^src/sandbox/' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),
    error('tests-stay-outside', 'Production code imports no tests.', { path: code }, { path: '^test/' }),

    only('koa-only-in-edge', 'Capabilities do not depend on HTTP.', ['koa', '@koa/.+', 'koa-.+'], '^src/edge/'),
    only(
      'ajv-only-in-validate',
      'Only edge/validate.ts checks schemas.',
      ['ajv', 'ajv-formats'],
      '^src/edge/validate\\.ts$',
    ),
    only(
      'slonik-only-beside-sql',
      'SQL is only in files for writes and reads.',
      ['slonik', '@slonik/.+'],
      '^src/(db|intents|commands)/',
      '^src/(release|sandbox/clock)\\.ts$',
      ...layer('intents|commands|store|queries'),
    ),
    only('pg-only-in-db', 'The plain driver is only for pools and LISTEN.', ['pg', 'pg-.+'], '^src/db/'),
    only(
      'queue-only-in-workers',
      'Writes queue jobs by SQL in their own transaction. db/migrate.ts installs the queue for release.ts and the tests.',
      ['graphile-worker'],
      '^src/(worker|release|db/migrate)\\.ts$',
      '^workers/',
    ),
    only('prom-client-only-in-metrics', 'Other code records through the registry.', ['prom-client'], '^src/metrics/'),
    only(
      'got-only-in-adapters',
      'Only adapters call upstreams. The tour is a client of the service.',
      ['got'],
      '^src/(adapters|sandbox|commands/tour)/',
    ),

    error(
      'edge-enters-by-operations',
      'In the edge, only the table of operations imports capabilities.',
      { path: '^src/edge/', pathNot: '^src/edge/operations\\.ts$' },
      { path: capability },
    ),
    error(
      'edge-sees-only-http',
      'The edge imports only the handlers of a capability.',
      { path: '^src/edge/' },
      { path: capability, pathNot: layer('http') },
    ),
    error(
      'capabilities-meet-at-their-doors',
      'A capability uses another only through intents.ts, commands.ts, queries.ts and read-model.ts. Users and operators share the folder login.',
      { path: capability },
      { path: capability, pathNot: ['^src/$1/', '^src/login/', ...layer('intents|commands|queries|read-model')] },
    ),
    error(
      'queries-only-read',
      'A read does not depend on code that writes.',
      { path: layer('queries') },
      { path: layer('intents|commands|store|http') },
    ),
    error(
      'read-models-ask-venues',
      'Read models get rows from queries.ts. They contain no SQL and make no commands; store.ts records what a read proves.',
      { path: layer('read-model') },
      { path: ['^src/db/', ...layer('intents|commands|http')], dependencyTypesNot: ['type-only'] },
    ),
    error(
      'adapters-come-from-runtime',
      'The runtime passes adapters in. Other code may import only their types.',
      { path: [capability, '^src/(contract|edge|kernel|db|intents)/', '^workers/'] },
      { path: '^src/adapters/', dependencyTypesNot: ['type-only'] },
    ),
    error(
      'adapters-show-only-types',
      'The public types of an adapter are in its types.ts.',
      { path: [capability, '^src/(contract|edge|kernel|db|intents)/', '^workers/'] },
      { path: '^src/adapters/', pathNot: '^src/adapters/[^/]+/types\\.ts$' },
    ),
    error(
      'rules-are-pure',
      'A rule depends only on its arguments. It needs only the kernel and contract types.',
      { path: '^src/.+/rules\\.ts$' },
      { pathNot: ['^src/kernel/', '^src/contract/(body|types)\\.ts$'] },
    ),
    error(
      'adapters-know-little',
      'An adapter translates to and from the wire and decides nothing.',
      { path: '^src/adapters/' },
      { path: '^src/', pathNot: ['^src/(kernel|adapters)/', '^src/(contract/types|config)\\.ts$'] },
    ),
    error(
      'adapters-do-not-meet',
      'Adapters share only adapters/http.ts.',
      { path: '^src/adapters/([^/]+)' },
      { path: '^src/adapters/', pathNot: ['^src/adapters/$1', '^src/adapters/http\\.ts$'] },
    ),
    error('nobody-imports-workers', 'Tasks are found by their path.', { pathNot: '^test/' }, { path: '^workers/' }),
    error(
      'nobody-imports-commands',
      'A person runs commands. Code they share with the service is in the modules they import.',
      { pathNot: '^(src/commands|test)/' },
      { path: '^src/commands/' },
    ),
    error(
      'kernel-stands-alone',
      'Everything may import the kernel.',
      { path: '^src/kernel/' },
      { path: '^src/(?!kernel/)' },
    ),
    error(
      'kernel-does-no-io',
      'The kernel only computes.',
      { path: '^src/kernel/' },
      { path: '^(node:)?(fs|net|tls|http|https|http2|dgram|dns|child_process|cluster|worker_threads)(/|$)' },
    ),
    error(
      'client-stands-alone',
      'The client runs in browsers, without the service.',
      { path: '^src/client/' },
      { pathNot: ['^src/client/', '^src/contract/types\\.ts$', npm('openapi-fetch')] },
    ),
    error(
      'sandbox-only-from-start',
      'Production must not fall back to the sandbox unnoticed.',
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
