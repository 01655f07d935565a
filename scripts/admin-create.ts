import { createInterface } from 'node:readline/promises';
import { createAdmin, resetAdmin } from '../src/admin/intents.ts';
import { isGuessable } from '../src/kernel/passwords.ts';
import { onDatabase } from './support/database.ts';

/*
 * Makes an operator; the password is read from standard input, never from the command line:
 *   npm run admin:create -- operator@example.com [--superadmin]
 * Gives one a new password, ends every session and forgets the authenticator, which is enrolled anew at the next log-in:
 *   npm run admin:create -- operator@example.com --reset
 */
const SHORTEST = 12; // characters; operators choose longer ones than users

const [email, ...flags] = process.argv.slice(2);
if (!email?.includes('@')) {
  process.stderr.write(
    'Give the e-mail address: npm run admin:create -- operator@example.com [--superadmin | --reset]\n',
  );
  process.exit(2);
}

const input = createInterface({ input: process.stdin, output: process.stderr });
const password = await input.question(`Password of ${email} (at least ${SHORTEST} characters): `);
input.close();
if ([...password].length < SHORTEST || isGuessable(password, email.toLowerCase())) {
  process.stderr.write('Too short, or among the passwords that are tried first.\n');
  process.exit(2);
}

const done = await onDatabase(async (db) => {
  if (!flags.includes('--reset')) return createAdmin(db, email, password, flags.includes('--superadmin'));
  return (await resetAdmin(db, email, password, true)) ? 'changed' : null;
});
process.stdout.write(
  done ? `admin  ${email}  ${done}\nLog in and enroll an authenticator.\n` : `There is no admin ${email}.\n`,
);
