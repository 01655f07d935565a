import { expect } from 'chai';
import { type Terminated, terminateUnderLoad, terminationVerdict } from './scenes/terminated.ts';
import { broken, shown } from './verdicts.ts';

describe('processes that are told to stop under load, several times', function () {
  this.timeout(150_000);
  let ended: Terminated;
  before(async () => {
    ended = await terminateUnderLoad();
    console.log(`      ${shown(terminationVerdict(ended))}`);
  });

  it('leave in time with code 0', () => {
    expect([ended.worker.code, ended.edge.code]).to.deep.equal([0, 0]);
    expect(ended.worker.ms).to.be.within(10_000, 25_000);
    expect(ended.edge.ms).to.be.within(10_000, 25_000);
  });

  it('answer what was under way, and where to poll for what is open', () => {
    expect(ended.replies.map(({ status }) => status)).to.deep.equal(ended.replies.map(() => 200));
    expect(ended.replies).to.have.length(ended.asked / 2 - 2);
    expect(ended.kept).to.match(/^HTTP\/1.1 200 .*Connection: close.*"status":"accepted"/s);
    expect(ended.hung).to.deep.include({ status: 202 });
    expect(ended.hung.headers.location).to.match(/^\/v1\/orders\/netvenue\//);
  });

  it('leave no job locked and burn no attempt', () => {
    expect(ended.left).to.deep.equal({ locked: 0, burnt: 0, registered: 0 });
  });

  it('lose nothing: the next worker carries out what was left', () => {
    expect(ended.audit).to.include({ orders: ended.asked, lost: 0, doubled: 0, denied: 0, strange: 0 });
    expect(ended.audit.states).to.deep.equal({ succeeded: ended.asked - 1, failed: 1 }); // the silent one was never carried out
    expect(broken([terminationVerdict(ended)])).to.deep.equal([]);
  });
});
