import { expect } from 'chai';
import { listTaskNames, withFormerNames } from '../../src/intents/task.ts';

describe('a former name of a task', () => {
  it('runs the same task: jobs of the previous release are queued under it', () => {
    const present = Object.fromEntries(listTaskNames().map((name) => [name, () => name]));

    const all = withFormerNames(present);

    expect(all).to.include(present);
    expect(all['payments/look']?.()).to.equal('payments/read');
    expect(all['webhooks/wake']?.()).to.equal('webhooks/dispatch');
  });

  it('stays out of a worker that lacks the task', () => {
    expect(withFormerNames({ 'mail/send': 1 })).to.deep.equal({ 'mail/send': 1 });
  });
});
