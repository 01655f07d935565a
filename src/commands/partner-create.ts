import { createPartner } from '../capabilities/partners/commands.ts';
import { onDatabase } from './database.ts';

/*
 * Creates a partner with its first key and prints the key, which is shown only once:
 *   npm run partner:create -- "Name of the partner"
 */
const name = process.argv[2]?.trim();
if (!name) {
  process.stderr.write('Missing the name of the partner: npm run partner:create -- "Name of the partner"\n');
  process.exit(2);
}

const { partner_id, key_id, key } = await onDatabase((db) => createPartner(db, name));
process.stdout.write(`partner id  ${partner_id}\nkey id      ${key_id}\nkey         ${key}   (shown once)\n`);
