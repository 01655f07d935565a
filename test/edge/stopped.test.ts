import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const STOP = fileURLToPath(new URL('../../src/runtime/stop.ts', import.meta.url));

/** Runs a process that stops like this within half a second, and sends it these signals. Returns its exit code and what it said. */
async function stopped(stop: string, signals: readonly NodeJS.Signals[]) {
  const program = `
    import { stopOnSignal } from '${STOP}';
    const stop = ${stop};
    stopOnSignal(() => (console.log('stopping'), stop()), 500, (error) => console.log(error.message));
    console.log('started');
    setInterval(() => {}, 1_000);
    setTimeout(() => process.exit(7), 8_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (data) => {
    if (said === '') for (const signal of signals) child.kill(signal);
    said += data;
  });
  const [code] = await once(child, 'close');
  return { code, said: said.trim().split('\n') };
}

describe('a process that gets a signal to stop', function () {
  this.timeout(20_000);

  it('ends once it has stopped, however often it gets a signal and whichever it is', async () => {
    const stop = '() => new Promise((resolve) => setTimeout(resolve, 200))';

    expect(await stopped(stop, ['SIGTERM', 'SIGINT'])).to.deep.equal({ code: 0, said: ['started', 'stopping'] });
  });

  for (const [what, stop, message] of [
    ['cannot stop', "async () => { throw new Error('it failed'); }", 'it failed'],
    ['does not stop in time', '() => new Promise(() => {})', 'Shutdown timed out'],
  ] as const)
    it(`says so, and ends with a failure, where it ${what}`, async () => {
      expect(await stopped(stop, ['SIGTERM'])).to.deep.equal({ code: 1, said: ['started', 'stopping', message] });
    });
});
