import { makePartner } from '../capabilities/admin/partners/commands.ts';
import { onDatabase, operatorAtShell } from './database.ts';
import { argumentsOf, exitWithUsage } from './table.ts';

/*
 * Creates a partner with its first key and prints the key, which is shown only once:
 *   npm run ops -- partner:create "Name of the partner"
 */
const { positionals } = argumentsOf('partner:create', { most: 1, options: {} });
const name = positionals[0]?.trim();
if (!name) exitWithUsage('partner:create');

const { partner_id, key_id, key } = await onDatabase((db) =>
  makePartner(db, name, null, operatorAtShell('partner:create')),
);
process.stdout.write(`partner id  ${partner_id}\nkey id      ${key_id}\nkey         ${key}   (shown once)\n`);
