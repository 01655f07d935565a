import { COMMANDS, type CommandName, usageOf } from './table.ts';

/* npm run ops -- NAME …: runs a command of the table with the arguments that follow. Without a name it prints the table. */
const programs: Record<CommandName, () => Promise<unknown>> = {
  'partner:create': () => import('./partner-create.ts'),
  'app:create': () => import('./app-create.ts'),
  'admin:create': () => import('./admin-create.ts'),
  'keys:create': () => import('./keys-create.ts'),
  reseal: () => import('./reseal.ts'),
  recover: () => import('./recover.ts'),
  'agreements:verify': () => import('./agreements-verify.ts'),
  listen: () => import('./webhook-listen.ts'),
  verify: () => import('./webhook-verify.ts'),
  'client:build': () => import('./client-build.ts'),
  compile: () => import('./compile.ts'),
};

const [name = ''] = process.argv.splice(2, 1);
if (isCommand(name)) await programs[name]().catch(fail);
else {
  const names = Object.keys(COMMANDS) as CommandName[]; // as: the keys of the table
  process.stderr.write(`${names.map((each) => `${usageOf(each)}\n    ${COMMANDS[each][1]}`).join('\n')}\n`);
  process.exitCode = 2;
}

function isCommand(given: string): given is CommandName {
  return Object.hasOwn(programs, given);
}

/**
 * Ends the process with what an error and its causes say, on one line. Nothing else of it is printed: some errors hold the
 * address of the database with its password.
 */
function fail(error: unknown): never {
  const said: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause)
    said.push(each.message || ('code' in each ? String(each.code) : each.name)); // of several addresses of a host: the code alone
  process.stderr.write(`${said.join(': ') || 'It failed.'}\n`);
  process.exit(1);
}
