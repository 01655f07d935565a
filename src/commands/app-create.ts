import { createApp } from '../capabilities/admin/apps/commands.ts';
import { ORDINARY_SCOPES, scopes } from '../kernel/principal.ts';
import { onDatabase, operatorAtShell } from './database.ts';
import { argumentsOf, exitWithUsage } from './table.ts';

/*
 * Creates a tenant app on the platform's miner and prints its credentials, which are shown only once:
 *   npm run ops -- app:create slug "Name of the app" [--scopes "api webhooks"]
 */
const { positionals, values } = argumentsOf('app:create', { most: 2, options: { scopes: { type: 'string' } } });
const [slug, name] = positionals;
const wanted = values.scopes?.split(' ') ?? [...ORDINARY_SCOPES];
const unknown = wanted.filter((scope) => !scopes.some((known) => known === scope));
if (!slug || !/^[a-z0-9][a-z0-9-]{0,63}$/.test(slug) || !name?.trim() || unknown.length > 0)
  exitWithUsage('app:create', `A slug has lower-case letters, digits and hyphens. Scopes: ${scopes.join(' ')}`);

const nothingToSeal = {
  seal: () => {
    throw new Error('An app without a network key has nothing to seal');
  },
};
const app = { slug, name: name.trim(), contactEmail: null, entityHotkey: null, networkApiKey: null, scopes: wanted };
const { app_id, client_secret } = await onDatabase((db) =>
  createApp(db, nothingToSeal, app, operatorAtShell('app:create')),
);
process.stdout.write(
  `client_id      ${app_id}\nclient_secret  ${client_secret}   (shown once)\nscopes         ${wanted.join(' ')}\n`,
);
