import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startProgram } from '../../support/processes.ts';
import { type Figures, within } from './figures.ts';
import { timed } from './p1.ts';

const SERVES_WITHIN_MS = 10_000;

/** START: the time until `npm start` serves requests, including the creation of its database. */
export async function measureStart(): Promise<Figures> {
  const dataDir = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-start-`));
  const service = startProgram('start', { DATA_DIR: dataDir, PORT: '0' });
  const ms = await timed(() => service.waitForLine(/partner key/, 6 * SERVES_WITHIN_MS));
  service.kill('SIGINT', 'group');
  await service.exited;
  await rm(dataDir, { recursive: true, force: true });
  return {
    name: 'START',
    title: 'npm start where nothing is set up',
    rows: [within(SERVES_WITHIN_MS, { what: 'until it serves', figure: ms, unit: 'ms' })],
  };
}
