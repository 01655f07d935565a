import type { ErrorCode } from '../../../src/kernel/error-codes.ts';
import { asking } from '../identity.ts';
import type { Trading } from '../trading.ts';
import { countsOf } from './counts.ts';
import { obey, obeyByClient } from './obey.ts';
import type { Scene, Scenes, Stage } from './scene.ts';
import { SENDERS } from './senders.ts';
import { type WatchedCalls, watchCalls } from './watched.ts';

/** The scenes of an area. `byHand`: of requests that the client does not send. */
export type Area = {
  start(): Promise<Trading>;
  scenes?: ((stage: Stage) => Scenes)[];
  byHand?: ((stage: Stage) => Scenes)[];
};

type Play = [code: ErrorCode, scene: () => Promise<Scene>][];

const played = (makers: ((stage: Stage) => Scenes)[], stage: Stage): Play =>
  makers.flatMap((maker) => Object.entries(maker(stage)) as Play); // as: the tables' own keys

/** The codes that an area obeys. */
export function codesOf({ scenes = [], byHand = [] }: Area): ErrorCode[] {
  const service = () => {
    throw new Error('Not started');
  };
  const stage: Stage = { service, asking: () => service, counts: countsOf(service) };
  return played([...scenes, ...byHand], stage).map(([code]) => code);
}

/** Plays the scenes of an area, by hand and by the client, against one service. */
export function areaSuite(name: string, { start, scenes = [], byHand = [] }: Area): void {
  describe(`the advice of an error, obeyed: ${name},`, function () {
    this.timeout(60_000);
    let service: Trading;
    let watched: WatchedCalls;
    before(async () => {
      service = await start();
      watched = watchCalls();
    });
    afterEach(() => {
      for (const { faults } of [service.miner, service.exchange, service.processor]) faults.clear();
    });
    after(async () => {
      watched.stop();
      await service.stop();
    });

    const stageOf = (sender: (typeof SENDERS)[keyof typeof SENDERS]): Stage => ({
      service: () => service,
      asking: (headers, url = service.url) => sender(url, headers),
      counts: countsOf(() => service),
    });
    for (const [code, scene] of played([...scenes, ...byHand], stageOf(asking)))
      it(`leads to success: ${code}`, async () => obey(code, await scene(), watched));
    for (const [code, scene] of played(scenes, stageOf(SENDERS['by the client'])))
      it(`leads the client to success: ${code}`, async () => obeyByClient(code, await scene(), watched));
  });
}
