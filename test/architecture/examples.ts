/** For each rule a tree that violates only this rule; paths to contents. */
export const violationsOfRules: Record<string, Record<string, string>> = {
  'no-cycles': {
    'src/capabilities/payments/refund.ts': `import './store.ts';`,
    'src/capabilities/payments/store.ts': `import './refund.ts';`,
  },
  resolvable: { 'src/capabilities/payments/http.ts': `import './nowhere.ts';` },
  'no-development-packages': { 'src/capabilities/payments/http.ts': `import 'nock';` },
  'tests-stay-outside': { 'src/web.ts': `import '../test/given.ts';`, 'test/given.ts': '' },
  'koa-only-in-edge': { 'src/capabilities/payments/http.ts': `import 'koa';` },
  'ajv-only-in-validate': { 'src/edge/body.ts': `import 'ajv/dist/2020.js';` },
  'slonik-only-beside-sql': { 'src/capabilities/payments/http.ts': `import { sql } from 'slonik';` },
  'pg-only-in-db': { 'src/intents/follow.ts': `import 'pg';` },
  'queue-only-in-workers': { 'src/capabilities/payments/intents.ts': `import 'graphile-worker';` },
  'prom-client-only-in-metrics': { 'src/worker.ts': `import 'prom-client';` },
  'one-client-of-upstreams': { 'src/adapters/registrar/index.ts': `import 'node:https';` },
  'imports-run-down': {
    'src/venues/network/orders/place.ts': `import '../../../runtime/web.ts';`,
    'src/runtime/web.ts': '',
  },
  'foundation-knows-no-business': {
    'src/edge/server.ts': `import '../capabilities/payments/http.ts';`,
    'src/capabilities/payments/http.ts': '',
  },
  'venues-know-no-capability': {
    'src/venues/network/orders/place.ts': `import '../../../capabilities/accounts/queries.ts';`,
    'src/capabilities/accounts/queries.ts': '',
  },
  'venues-do-not-meet': {
    'src/venues/network/orders/place.ts': `import '../../exchange/orders/queries.ts';`,
    'src/venues/exchange/orders/queries.ts': '',
  },
  'contract-is-below-edge': { 'src/contract/body.ts': `import '../edge/body.ts';`, 'src/edge/body.ts': '' },
  'intents-is-below-contract': {
    'src/intents/follow.ts': `import '../contract/body.ts';`,
    'src/contract/body.ts': '',
  },
  'capacity-is-below-db': { 'src/capacity/network.ts': `import '../db/pool.ts';`, 'src/db/pool.ts': '' },
  'db-is-below-intents': { 'src/db/pool.ts': `import '../intents/run.ts';`, 'src/intents/run.ts': '' },
  'operations-see-only-http': {
    'src/operations.ts': `import './capabilities/payments/intents.ts';`,
    'src/capabilities/payments/intents.ts': '',
  },
  'capabilities-meet-at-their-doors': {
    'src/capabilities/accounts/http.ts': `import '../payments/store.ts';`,
    'src/capabilities/payments/store.ts': '',
  },
  'queries-only-read': {
    'src/capabilities/payments/queries.ts': `import './store.ts';`,
    'src/capabilities/payments/store.ts': '',
  },
  'read-models-ask-venues': {
    'src/capabilities/accounts/read-model.ts': `import '../payments/commands.ts';`,
    'src/capabilities/payments/commands.ts': '',
  },
  'adapters-come-from-runtime': {
    'src/venues/network/orders/intents.ts': `import { place } from '../adapter/types.ts';`,
    'src/venues/network/adapter/types.ts': '',
  },
  'adapters-show-only-types': {
    'src/venues/network/orders/intents.ts': `import type { Miner } from '../adapter/orders.ts';`,
    'src/venues/network/adapter/orders.ts': '',
  },
  'rules-are-pure': {
    'src/capabilities/payments/rules.ts': `import './queries.ts';`,
    'src/capabilities/payments/queries.ts': '',
  },
  'adapters-know-little': { 'src/adapters/mail/index.ts': `import '../../db/pool.ts';`, 'src/db/pool.ts': '' },
  'adapters-do-not-meet': {
    'src/adapters/mail/index.ts': `import '../webhook/post.ts';`,
    'src/adapters/webhook/post.ts': '',
  },
  'nobody-imports-workers': { 'src/worker.ts': `import '../workers/sync.ts';`, 'workers/sync.ts': '' },
  'nobody-imports-commands': { 'src/worker.ts': `import './commands/reseal.ts';`, 'src/commands/reseal.ts': '' },
  'kernel-stands-alone': { 'src/kernel/ids.ts': `import type { Config } from '../config.ts';`, 'src/config.ts': '' },
  'kernel-does-no-io': { 'src/kernel/ids.ts': `import 'node:fs/promises';` },
  'client-stands-alone': { 'src/client/retry.ts': `import '../kernel/ids.ts';`, 'src/kernel/ids.ts': '' },
  'sandbox-only-from-start': { 'src/web.ts': `import './sandbox/upstream.ts';`, 'src/sandbox/upstream.ts': '' },
};

/** A tree that the rules must accept. */
export const permitted: Record<string, string> = {
  'src/operations.ts': `import './capabilities/payments/http.ts'; import './venues/network/orders/http.ts';`,
  'src/edge/server.ts': `import 'koa'; import type { Handler } from '../contract/handler.ts';`,
  'src/contract/handler.ts': `import type { Intent } from '../intents/intent.ts';`,
  'src/intents/intent.ts': `import '../db/pool.ts';`,
  'src/db/pool.ts': `import 'pg'; import '../kernel/ids.ts';`,
  'src/capabilities/payments/http.ts': `import './intents.ts'; import '../accounts/queries.ts';`,
  'src/capabilities/payments/intents.ts': `import { sql } from 'slonik'; import type { M } from '../../adapters/mail/types.ts';`,
  'src/capabilities/payments/rules.ts': `import '../../kernel/ids.ts';`,
  'src/capabilities/accounts/queries.ts': '',
  'src/capabilities/users/check.ts': `import '../login/check.ts'; import '../streams/hub.ts';`,
  'src/capabilities/streams/hub.ts': '',
  'src/capabilities/login/check.ts': '',
  'src/venues/network/orders/http.ts': `import './intents.ts';`,
  'src/venues/network/orders/intents.ts': `import type { Signal } from '../adapter/types.ts';`,
  'src/venues/network/adapter/types.ts': `import type { Id } from '../../../kernel/ids.ts'; import '../../../adapters/http.ts';`,
  'src/kernel/ids.ts': `import 'node:crypto';`,
  'src/adapters/mail/types.ts': `import '../http.ts';`,
  'src/adapters/http.ts': `import 'node:http';`,
  'src/commands/reseal.ts': `import { sql } from 'slonik'; import '../capabilities/payments/intents.ts';`,
  'src/client/client.ts': `import 'openapi-fetch'; import '../contract/types.ts';`,
  'src/contract/types.ts': '',
  'src/docs/examples/shop.ts': `import '../../../dist/client/index.js';`,
  'dist/client/index.js': `import './not-built.js';`, // the package of the client, where it was built
  'src/runtime/start.ts': `import '../sandbox/upstream.ts';`,
  'src/sandbox/upstream.ts': '',
  'workers/payments/refund.ts': `import 'graphile-worker'; import '../../src/capabilities/payments/intents.ts';`,
  'test/refund.test.ts': `import '../workers/payments/refund.ts'; import 'nock'; import 'pg';`,
};
