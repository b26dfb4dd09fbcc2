import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bindOperation, defineOperation, type ListedOperation } from '../api/operation.ts';
import { pairOperations } from './create-app.ts';

function operationOf(name: string): ListedOperation {
  return defineOperation({
    name,
    since: '1.0',
    method: 'GET',
    path: '/v1/something',
    scope: null,
    callers: ['clients'],
    summary: '',
    description: '',
    request: {},
    responses: {},
    refusals: [],
    citizenData: false,
    run: async () => ({ plain: { status: 200, json: null } }),
  });
}

const [one, other] = [operationOf('one'), operationOf('other')];
const bind = (operation: ListedOperation) => bindOperation(operation, {} as never);

test('each listed operation is paired with the operation that its slice binds', () => {
  const [first, second] = [bind(one), bind(other)];
  const boundOperation = pairOperations([one, other], [{ operations: [second] }, { operations: [first] }]);
  assert.deepEqual([boundOperation(one), boundOperation(other)], [first, second]);
});

test('an operation that no slice binds, or that is not listed, stops the start', () => {
  assert.throws(() => pairOperations([one, other], [{ operations: [bind(one)] }]), { message: 'no slice binds other' });
  assert.throws(() => pairOperations([one], [{ operations: [bind(one), bind(other)] }]), {
    message: 'other is missing in operations.ts',
  });
});
