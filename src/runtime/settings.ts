import { type Config, readConfig } from '../config.ts';
import { openLog } from './log.ts';

/** The settings of the environment. Where they are wrong, one log line names each, without its value, and the process ends. */
export function settingsOrExit(): Config {
  try {
    return readConfig();
  } catch (error) {
    const settings = error instanceof Error ? error.message.split('\n') : [];
    openLog({ LOG_LEVEL: 'fatal' }).fatal({ settings }, 'wrong settings');
    process.exit(1);
  }
}
