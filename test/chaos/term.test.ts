import { expect } from 'chai';
import { type Terminated, terminateUnderLoad, terminationVerdict } from './scenes/terminated.ts';
import { broken, shown } from './verdicts.ts';

describe('processes that receive SIGTERM under load, several times', function () {
  this.timeout(150_000);
  let ended: Terminated;
  before(async () => {
    ended = await terminateUnderLoad();
    console.log(`      ${shown(terminationVerdict(ended))}`);
  });

  it('exit in time with code 0', () => {
    expect([ended.worker.code, ended.edge.code]).to.deep.equal([0, 0]);
    expect(ended.worker.ms).to.be.within(10_000, 25_000);
    expect(ended.edge.ms).to.be.within(10_000, 25_000);
  });

  it('respond to requests in flight, with a poll address for open intents', () => {
    expect(ended.replies.map(({ status }) => status)).to.deep.equal(ended.replies.map(() => 200));
    expect(ended.replies).to.have.length(ended.requests / 2 - 2);
    expect(ended.kept).to.match(/^HTTP\/1.1 200 .*Connection: close.*"status":"accepted"/s);
    expect(ended.hangingReply).to.deep.include({ status: 202 });
    expect(ended.hangingReply.headers.location).to.match(/^\/v1\/orders\/netvenue\//);
  });

  it('leave no job locked and use up no attempt', () => {
    expect(ended.left).to.deep.equal({ locked: 0, usedUp: 0, registered: 0 });
  });

  it('lose nothing: the next worker executes what was left', () => {
    expect(ended.audit).to.include({ orders: ended.requests, lost: 0, doubled: 0, denied: 0, strange: 0 });
    // the hanging one was never executed
    expect(ended.audit.states).to.deep.equal({ succeeded: ended.requests - 1, failed: 1 });
    expect(broken([terminationVerdict(ended)])).to.deep.equal([]);
  });
});
