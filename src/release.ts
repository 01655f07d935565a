import { readConfig } from './config.ts';
import { migrate } from './db/migrate.ts';
import { openLog } from './runtime/log.ts';

const config = readConfig();
const log = openLog(config);
await migrate(config.directUrl, (line) => log.info(line));
log.info('database is up to date');
