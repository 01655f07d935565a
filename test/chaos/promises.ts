import { canOpenCluster } from '../support/cluster.ts';
import { findFaketime } from '../support/faketime.ts';
import { findPgbouncer } from '../support/pgbouncer.ts';
import { findPrometheus } from '../support/prometheus.ts';
import { canDrop } from '../support/vanishing.ts';
import { alertOnOutages, alertVerdict } from './scenes/alerts.ts';
import { budgetVerdicts, tradeWithinBudget } from './scenes/budget.ts';
import { clockVerdicts, tradeWithWrongClocks } from './scenes/clock.ts';
import { createUnderLoss, creationVerdict } from './scenes/creations.ts';
import { canMount, diskVerdict, tradeOnFullDisk } from './scenes/disk.ts';
import { oddVerdict, tradeBesideOddOnes } from './scenes/fleet.ts';
import { floodEachBudget, floodVerdicts } from './scenes/flood.ts';
import { glitchVerdicts, tradeThroughGlitch } from './scenes/glitch.ts';
import { enduranceVerdicts, tradeThroughFailures } from './scenes/ha.ts';
import { payUnderHarm } from './scenes/money.ts';
import { moneyVerdicts } from './scenes/money-audit.ts';
import { outageVerdict, settleAfterOutage } from './scenes/outage.ts';
import { poolerVerdicts, tradeThroughPooler } from './scenes/pooled.ts';
import { queueAtMiner, queueVerdict } from './scenes/queued.ts';
import { behindVerdicts, tradeBehind } from './scenes/replicas.ts';
import { rerunFinished, rerunVerdict } from './scenes/rerun.ts';
import { restoreUnderLoad, restoreVerdict } from './scenes/restore.ts';
import { failOverUnderLoad, failOverVerdict } from './scenes/standby.ts';
import { staleVerdict, stopAndResume } from './scenes/stopped.ts';
import { terminateUnderLoad, terminationVerdict } from './scenes/terminated.ts';
import { ledgerVerdicts, takeoverVerdict, tradeUnderHarm } from './scenes/trading.ts';
import { upgradeUnderLoad, upgradeVerdict } from './scenes/upgrade.ts';
import { silenceVerdicts, tradeThroughSilence } from './scenes/vanish.ts';
import { tradeWithEveryVerb, verbVerdict } from './scenes/verbs.ts';
import { liveThroughYear, yearVerdicts } from './scenes/year.ts';
import { openCrashable } from './server.ts';
import { AT_EXCHANGE, ROOMY, type Size } from './sizes.ts';
import type { Verdict } from './verdicts.ts';

/** Runs one part of the promises and emits each verdict as soon as it is known. */
type Scene = (size: Size, report: (verdict: Verdict) => void) => Promise<void>;

// upstreams, load and service share the cores
const UNDER_HARM = { ...ROOMY, ORDER_DEADLINE_MS: '120000', NETVENUE_IN_FLIGHT_MS: '30000' };
const SETTLE_MS = 900_000; // an exchange verb whose nonce is used counts as absent only after ten lags of reads
const BEHIND_MS = 25_000; // see venues/exchange.md#delayed-reads

/** Every scene by the promise it measures. */
export const scenes: Record<string, Scene> = {
  async R1(size, report) {
    for (const seed of size.seeds) {
      const each = Math.ceil(size.orders / size.seeds.length / 2);
      const traded = await tradeUnderHarm({
        seed,
        stage: {
          database: await openCrashable(),
          webs: 2,
          workers: 3,
          upstream: { processingMs: 100 },
          settings: { ...UNDER_HARM, ...AT_EXCHANGE },
        },
        network: { orders: each * 0.75, perSecond: (size.perSecond / 2) * 0.75, traders: 60 },
        clients: { orders: each / 4, perSecond: size.perSecond / 8, traders: 20 },
        exchange: { orders: each, perSecond: size.perSecond / 2, wallets: 60, readsBehindMs: BEHIND_MS },
        harms: { sequence: ['kill', 'cut', 'web', 'kill', 'cut', 'crash'], everyMs: size.harmEveryMs, atLeast: 6 },
        settleWithinMs: SETTLE_MS,
      });
      for (const verdict of ledgerVerdicts(traded)) report({ ...verdict, text: `${verdict.text}, seed ${seed}` });
    }
  },
  async R2(size, report) {
    const traded = await tradeUnderHarm({
      seed: size.seeds[0] ?? 1,
      stage: { webs: 1, workers: 3, upstream: { processingMs: 250 }, settings: UNDER_HARM },
      network: { orders: 0, perSecond: size.perSecond / 2, traders: 60 },
      harms: { sequence: ['kill'], everyMs: 1_200, atLeast: size.kills },
      settleWithinMs: SETTLE_MS,
    });
    for (const verdict of [takeoverVerdict(traded, size.kills), ...ledgerVerdicts(traded)]) report(verdict);
  },
  async R3(size, report) {
    report(staleVerdict(await stopAndResume(size.stoppedMs)));
  },
  async R4(_, report) {
    report(terminationVerdict(await terminateUnderLoad()));
  },
  async R5({ creations, outageMs, perSecond, seeds: [seed = 1], timing }, report) {
    report(creationVerdict(await createUnderLoss({ creations, seed, settings: timing })));
    const outage = {
      seed,
      perSecond: perSecond / 2,
      inDoubt: creations / 10,
      outageMs,
      settings: { ...timing, ...ROOMY },
    };
    report(outageVerdict(await settleAfterOutage(outage)));
  },
  async R10({ finished, perSecond }, report) {
    const rerun = await rerunFinished({ intents: finished, perSecond: perSecond / 2, settings: ROOMY });
    report(rerunVerdict(rerun, finished));
  },
  async RESTORE({ pooled, perSecond }, report) {
    const restored = await restoreUnderLoad({ orders: pooled, perSecond, settings: ROOMY });
    report(restoreVerdict(restored, pooled / 5));
  },
  async BEHIND({ behind }, report) {
    for (const verdict of behindVerdicts(await tradeBehind(behind))) report(verdict);
  },
  async BUDGET({ shortage }, report) {
    for (const verdict of budgetVerdicts(await tradeWithinBudget(shortage))) report(verdict);
  },
  async R11({ failOver, perSecond, seeds: [seed = 1] }, report) {
    const counts = { ordersBefore: failOver, ordersAfter: failOver };
    report(
      failOverVerdict(await failOverUnderLoad({ seed, perSecond: perSecond / 2, ...counts, workers: 3, webs: 2 })),
    );
  },
  async HA({ failures, perSecond }, report) {
    if (!canOpenCluster())
      throw new Error('There are no patroni, etcd, haproxy and PostgreSQL 15 on this machine, or no rights');
    const settings = { ...UNDER_HARM, NETVENUE_IN_FLIGHT_MS: '5000' };
    const endured = await tradeThroughFailures({ failures, perSecond: perSecond / 2, settings });
    for (const verdict of enduranceVerdicts(endured)) report(verdict);
  },
  async DISK({ fullMs, perSecond }, report) {
    if (!(await canMount())) throw new Error('No file system may be mounted here');
    report(diskVerdict(await tradeOnFullDisk({ fullMs, perSecond: perSecond / 2, settings: UNDER_HARM })));
  },
  async VANISH({ silentMs, perSecond }, report) {
    if (!(await canDrop())) throw new Error('There is no nftables on this machine, or no rights');
    const silenced = await tradeThroughSilence({ silentMs, perSecond: perSecond / 4, settings: UNDER_HARM });
    for (const verdict of silenceVerdicts(silenced)) report(verdict);
  },
  async ALERTS({ alertScale: scale }, report) {
    const program = findPrometheus();
    if (!program) throw new Error('There is no prometheus on this machine');
    await alertOnOutages({ program, scale }, (alerted) => report(alertVerdict(alerted, { scale })));
  },
  async CLOCK({ stayMs, perSecond }, report) {
    const library = findFaketime();
    if (!library) throw new Error('There is no libfaketime on this machine');
    const settings = { ...ROOMY, ...AT_EXCHANGE, ORDER_DEADLINE_MS: '120000' };
    for (const verdict of clockVerdicts(
      await tradeWithWrongClocks({ library, perSecond: perSecond / 3, stayMs, settings }),
    ))
      report(verdict);
  },
  async UPGRADE({ stayMs, perSecond }, report) {
    const pace = { perSecond: perSecond / 4, stayMs: stayMs / 3 };
    report(upgradeVerdict(await upgradeUnderLoad({ ...pace, settings: { ...ROOMY, ORDER_DEADLINE_MS: '60000' } })));
  },
  async FLEET({ finished, perSecond }, report) {
    const settings = { ...ROOMY, ORDER_DEADLINE_MS: '60000' };
    report(oddVerdict(await tradeBesideOddOnes({ orders: finished, perSecond: perSecond / 4, settings })));
  },
  async YEAR({ year }, report) {
    for (const verdict of yearVerdicts(await liveThroughYear(year), year)) report(verdict);
  },
  async QUEUED({ queued }, report) {
    report(queueVerdict(await queueAtMiner(queued), queued));
  },
  async VERBS({ verbs }, report) {
    for (const load of verbs) report(verbVerdict(await tradeWithEveryVerb(load), load));
  },
  async FLOOD({ flood }, report) {
    await floodEachBudget(flood, (flooded) => {
      for (const verdict of floodVerdicts(flooded)) report(verdict);
    });
  },
  async GLITCH({ glitch: load }, report) {
    for (const glitch of load.glitches)
      for (const verdict of glitchVerdicts(await tradeThroughGlitch(glitch, load), load)) report(verdict);
  },
  async R12({ traders, harmEveryMs, seeds: [seed = 1] }, report) {
    const pace = { atOnce: 12, workers: 3, kills: traders, killEveryMs: harmEveryMs * 2, rejectedMs: 3_000 };
    const { audit, harms } = await payUnderHarm({ traders, seed, ...pace });
    for (const verdict of moneyVerdicts(audit, harms)) report(verdict);
  },
  async POOLER({ pooled, perSecond, harmEveryMs, seeds: [seed = 1] }, report) {
    const program = findPgbouncer();
    if (!program) throw new Error('There is no pgbouncer on this machine');
    const load = { orders: pooled / 2, perSecond: perSecond / 2 };
    const traded = await tradeThroughPooler(program, {
      seed,
      connections: 4,
      webs: 2,
      workers: 3,
      settings: UNDER_HARM,
      network: { ...load, traders: 60 },
      exchange: { ...load, wallets: 60 },
      harms: { sequence: ['cut', 'kill'], everyMs: harmEveryMs, atLeast: 3 },
      settleWithinMs: SETTLE_MS,
    });
    for (const verdict of poolerVerdicts(traded)) report(verdict);
  },
};
