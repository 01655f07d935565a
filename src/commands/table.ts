import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * What an operator or an integrator runs by `npm run ops -- NAME`: its arguments and what it does. The help is printed from
 * this table.
 */
export const COMMANDS = {
  'partner:create': ['"Name of the partner"', 'a partner with its first key, printed once'],
  'app:create': ['slug "Name of the app" [--scopes "api webhooks"]', 'a tenant app; its secret is printed once'],
  'admin:create': [
    'you@example.com [--role support | --reset]',
    'an operator (by default an admin), or a new password for one',
  ],
  'keys:create': ['', 'a new sealing key and a new key for agreements'],
  reseal: ['', 'reseals all secrets with the first of SEALING_KEYS'],
  recover: ['--since 2026-01-31T04:00:00Z', 'prepares a database restored from a backup of that time'],
  'agreements:verify': ['[receipts.json [agreement-keys.json]]', 'verifies the hash chains of agreements'],
  listen: [
    '--forward-to URL [--url URL] [--events a.b,c.d] [--after evt_…] [--secret whsec_…]',
    'delivers the next events of an app or a partner to a receiver on this machine',
  ],
  verify: [
    '--secret whsec_… [--tolerance 300] [FILE]',
    'says what is wrong with a webhook delivery (FILE or standard input)',
  ],
  'client:build': ['[FOLDER]', 'writes the TypeScript client as a package'],
  compile: ['', 'compiles web and worker, so that they start sooner'],
} satisfies Record<string, [args: string, does: string]>;

/** The name of a command of `npm run ops`. */
export type CommandName = keyof typeof COMMANDS;

/** How a command is called. */
export const usageOf = (name: CommandName): string => `npm run ops -- ${name} ${COMMANDS[name][0]}`.trimEnd();

/**
 * The arguments of the command that runs: its options, and at most `most` others. Ends the process with the usage if there is
 * an option that the command does not have, an option without its value, or one argument more.
 */
export function argumentsOf<const Options extends ParseArgsOptionsConfig>(
  name: CommandName,
  { most, options }: { most: number; options: Options },
) {
  try {
    const parsed = parseArgs({ allowPositionals: true, options });
    if (parsed.positionals.length <= most) return parsed;
  } catch (error) {
    exitWithUsage(name, (error as Error).message); // as: parseArgs throws nothing else
  }
  return exitWithUsage(name);
}

/** Ends the process with the usage of a command, because its arguments are not as they should be. */
export function exitWithUsage(name: CommandName, more = ''): never {
  process.stderr.write(`Usage: ${usageOf(name)}\n${more && `${more}\n`}`);
  process.exit(2);
}
