/*
 * Which file may import which. Every rule is an error. test/architecture.test.ts shows for every rule that it can fail.
 * The rules do not apply to tests: a test may import whatever it exercises.
 */
/** The second storey: one folder for each noun of the business, one for each venue. */
const capability = '^src/capabilities/([^/]+)/';
const venue = '^src/venues/([^/]+)/';
/** Files of a capability or a venue by layer, in its folder or one below. */
const layer = (names) => `^src/(?:capabilities|venues)[^.]*/(?:${names})\\.ts$`;
/** The first storey, in the order in which imports run down. */
const foundation = ['edge', 'contract', 'intents', 'db', 'capacity'];
const folders = (names) => `^src/(?:${names.join('|')})/`;
/** The third storey: processes and what puts them together. */
const composition = '^src/(?:(?:runtime|commands|sandbox|metrics)/|(?:web|worker|release|start|operations)\\.ts$)';
const adapter = '^src/(?:adapters|venues/[^/]+/adapter)/';

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
      'Every import can be resolved. Examples import the client as the package that others install. The tools have packages of their own, installed at first use.',
      { pathNot: '^test/tools/' },
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
      '^src/(release|sandbox/clock|metrics/queries)\\.ts$',
      layer('intents|commands|store|queries'),
    ),
    only('pg-only-in-db', 'The plain driver is only for pools and LISTEN.', ['pg', 'pg-.+'], '^src/db/'),
    only(
      'queue-only-in-workers',
      'Writes queue jobs by SQL in their own transaction. db/migrate.ts installs the queue.',
      ['graphile-worker'],
      '^src/(runtime/runners|db/migrate)\\.ts$',
      '^workers/',
    ),
    only('prom-client-only-in-metrics', 'Other code records through the registry.', ['prom-client'], '^src/metrics/'),
    error(
      'one-client-of-upstreams',
      'Only adapters call upstreams, by adapters/http.ts. Receivers of webhooks have adapters/webhook/post.ts.',
      { path: [adapter, capability, venue, '^workers/'], pathNot: '^src/adapters/(http|webhook/post)\\.ts$' },
      { path: ['^(node:)?(http|https|http2)$', npm('got', 'axios', 'undici')] },
    ),

    error(
      'imports-run-down',
      'Processes and composition import capabilities and venues, and these import the foundation. No import runs back up.',
      { path: [capability, venue, folders([...foundation, 'adapters', 'kernel'])] },
      { path: composition },
    ),
    error(
      'foundation-knows-no-business',
      'The foundation is machinery: it is given handlers, finders and verbs, and imports none of them.',
      { path: folders([...foundation, 'adapters']) },
      { path: [capability, venue] },
    ),
    error(
      'venues-know-no-capability',
      'Capabilities use venues. What a venue needs of a capability, its process hands in.',
      { path: venue },
      { path: capability },
    ),
    error(
      'venues-do-not-meet',
      'A venue is a package of its own: another one is added beside it, without a change to it.',
      { path: '^src/venues/([^/]+)/' },
      { path: '^src/venues/[^/]+/', pathNot: '^src/venues/$1/' },
    ),
    ...foundation
      .slice(1)
      .map((name, at) =>
        error(
          `${name}-is-below-${foundation[at]}`,
          'Within the foundation, imports run down as well.',
          { path: folders([name]) },
          { path: folders(foundation.slice(0, at + 1)) },
        ),
      ),
    error(
      'operations-see-only-http',
      'The table of operations imports only the handlers of capabilities and venues.',
      { path: '^src/operations\\.ts$' },
      { path: [capability, venue], pathNot: layer('http') },
    ),
    error(
      'capabilities-meet-at-their-doors',
      'A capability uses another only through intents.ts, commands.ts, queries.ts and read-model.ts. Users and operators share login, the logs of accounts and partners share streams.',
      { path: '^src/((?:capabilities|venues)/[^/]+)/' },
      {
        path: [capability, venue],
        pathNot: [
          '^src/$1/',
          '^src/capabilities/(login|streams)/',
          layer('intents|commands|queries|read-model'),
          '/adapter/types\\.ts$',
        ],
      },
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
      { path: ['^src/db/', layer('intents|commands|http')], dependencyTypesNot: ['type-only'] },
    ),
    error(
      'adapters-come-from-runtime',
      'The runtime passes adapters in. Other code may import only their types.',
      { path: [capability, venue, folders(foundation), '^workers/'], pathNot: adapter },
      { path: adapter, dependencyTypesNot: ['type-only'] },
    ),
    error(
      'adapters-show-only-types',
      'The public types of an adapter are in its types.ts, signal-types.ts, action-types.ts and stream-types.ts.',
      { path: [capability, venue, folders(foundation), '^workers/'], pathNot: adapter },
      { path: adapter, pathNot: '/((signal|action|stream)-)?types\\.ts$' },
    ),
    error(
      'rules-are-pure',
      'A rule depends only on its arguments. It needs only the kernel and contract types.',
      { path: '^src/.+/rules\\.ts$' },
      { pathNot: ['^src/kernel/', '^src/contract/(body|events|types)\\.ts$'] },
    ),
    error(
      'adapters-know-little',
      'An adapter translates to and from the wire and decides nothing.',
      { path: adapter },
      { path: '^src/', pathNot: [adapter, '^src/(kernel|capacity)/', '^src/(contract/types|config)\\.ts$'] },
    ),
    error(
      'adapters-do-not-meet',
      'Adapters share only adapters/http.ts.',
      { path: '^src/(adapters/[^/]+|venues/[^/]+/adapter)' },
      { path: adapter, pathNot: ['^src/$1', '^src/adapters/http\\.ts$'] },
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
      { path: code, pathNot: ['^src/runtime/start\\.ts$', '^src/sandbox/'] },
      { path: '^src/sandbox/' },
    ),
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist/'] }, // dist: the package of the client, where it was built
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.d.ts'],
    },
  },
};
