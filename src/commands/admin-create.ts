import { createInterface } from 'node:readline/promises';
import { createAdmin, resetAdmin } from '../capabilities/admin/commands.ts';
import { isGuessable } from '../kernel/passwords.ts';
import { onDatabase } from './database.ts';
import { exitWithUsage } from './table.ts';

/*
 * Creates an operator. The password is read from standard input, because a command line shows in process lists:
 *   npm run ops -- admin:create operator@example.com [--superadmin]
 * Sets a new password, ends every session and removes the authenticator; the next login enrolls a new one:
 *   npm run ops -- admin:create operator@example.com --reset
 */
const SHORTEST = 12; // characters; operators need longer passwords than users

const [email, ...flags] = process.argv.slice(2);
if (!email?.includes('@')) exitWithUsage('admin:create');

const input = createInterface({ input: process.stdin, output: process.stderr });
const password = await input.question(`Password of ${email} (at least ${SHORTEST} characters): `);
input.close();
if ([...password].length < SHORTEST || isGuessable(password, email.toLowerCase())) {
  process.stderr.write('The password is too short or too easy to guess.\n');
  process.exit(2);
}

const done = await onDatabase(async (db) => {
  if (!flags.includes('--reset')) return createAdmin(db, email, password, flags.includes('--superadmin'));
  return (await resetAdmin(db, email, password, true)) ? 'changed' : null;
});
process.stdout.write(
  done ? `admin  ${email}  ${done}\nLog in and enroll an authenticator.\n` : `Unknown admin ${email}.\n`,
);
