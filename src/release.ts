import { VERSION } from './metrics/version.ts';
import { withDatabaseTls } from './runtime/database.ts';
import { openLog } from './runtime/log.ts';
import { orExit } from './runtime/process.ts';
import { release } from './runtime/release.ts';
import { settingsOrExit } from './runtime/settings.ts';

const given = settingsOrExit();
const log = openLog(given, 'release');
await orExit(log, async () => {
  const config = await withDatabaseTls(given, log);
  await release(config, (line) => log.info(line), { version: VERSION });
});
log.info('database is up to date');
