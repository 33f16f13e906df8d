/**
 * A fully hostile model can do no more than offer a card somebody asked for; with any one guard taken out, the same run says so.
 * @module
 */
import { describe, expect, it } from 'vitest';
import type { ModelClient } from '../../src/adapters/gemini/client.ts';
import { ToolCall } from '../../src/commands/tools.ts';
import { type Plant, runHostileModel, type Violation } from './hostile-model.ts';

const SEED = 20261130;
const TURNS = 10_000;
const TURNS_WITH_A_PLANT = 1_500;

it(`${TURNS} turns, seed ${SEED}: writes nothing but offers, reads nobody else, shows no word of the model`, async () => {
  const result = await runHostileModel({ count: TURNS, seed: SEED });
  expect(result).toMatchObject({ turns: TURNS, violationCount: 0, violations: [] });
  // The run is no empty one: searches, offers, looks, questions and failures all happened.
  for (const status of [
    'places',
    'events',
    'awaiting_memory_consent',
    'memory_inspected',
    'memory_explained',
    'remember_separately',
    'clarify',
    'unsupported',
    'query_unavailable',
  ]) {
    expect(result.statuses.get(status) ?? 0, status).toBeGreaterThan(10);
  }
  expect(result.offers).toBeGreaterThan(20);
});

/** Changes every call of a response before the router reads it. */
function tidying(tidy: (call: { name?: unknown; args?: unknown }) => void): NonNullable<Plant['client']> {
  return (inner: ModelClient) => ({
    async generate(request, signal) {
      const generated = await inner.generate(request, signal);
      if (generated.kind !== 'response') return generated;
      const { candidates } = generated.response as { candidates?: unknown };
      for (const candidate of Array.isArray(candidates) ? candidates : []) {
        const parts: unknown = candidate?.content?.parts;
        for (const part of Array.isArray(parts) ? parts : []) {
          const call: unknown = part?.functionCall;
          if (typeof call === 'object' && call !== null) tidy(call);
        }
      }
      return generated;
    },
  });
}

describe('with one guard taken out the run fails:', () => {
  const plants: readonly (readonly [string, Plant, Violation['kind']])[] = [
    [
      'names are tidied before they are compared',
      {
        client: tidying((call) => {
          if (typeof call.name === 'string') call.name = call.name.replace(/^.*[.:/ ]/, '');
        }),
      },
      'ran',
    ],
    [
      'arguments nobody declared are dropped',
      {
        client: tidying((call) => {
          const option = ToolCall.options.find(({ entries }) => entries.tool.literal === call.name);
          if (option === undefined || typeof call.args !== 'object' || call.args === null) return;
          const known = Object.entries(call.args).filter(([key]) => Object.hasOwn(option.entries, key));
          call.args = Object.fromEntries(known);
        }),
      },
      'ran',
    ],
    [
      'an offer agrees to itself',
      {
        offers: (desk) => ({
          ...desk,
          async propose(person, value, collection, delivery) {
            const offered = await desk.propose(person, value, collection, delivery);
            if (offered.status === 'awaiting_memory_consent')
              await desk.tap(person, 'approve', offered.card.token, {
                ...delivery,
                causationId: `${delivery.causationId}!`,
              });
            return offered;
          },
        }),
      },
      'wrote',
    ],
    [
      'the person is taken from an argument',
      {
        text: (inner, answered, everybody) => ({
          text(person, said, delivery) {
            const { owner } = answered();
            return inner.text((owner === null ? undefined : everybody.get(owner)) ?? person, said, delivery);
          },
        }),
      },
      'read',
    ],
    [
      "a model's calls are taken for the person's own words",
      { router: (inner) => ({ name: 'rules', route: (text, facts, record) => inner.route(text, facts, record) }) },
      'unasked',
    ],
    [
      "any word counts as a known one, and as the person's own",
      {
        dietOf: () => 'any',
        router: (inner) => ({ name: 'rules', route: (text, facts, record) => inner.route(text, facts, record) }),
      },
      'shown',
    ],
    [
      'prose is told to the person',
      {
        text: (inner, answered) => ({
          async text(person, said, delivery) {
            const turn = await inner.text(person, said, delivery);
            const prose = /"text":"([^"]+)"/.exec(answered().body)?.[1];
            return prose === undefined
              ? turn
              : { ...turn, answers: [...turn.answers, { status: 'unknown_diet', said: prose }] };
          },
        }),
      },
      'shown',
    ],
  ];
  it.each(plants)('%s', async (_title, plant, kind) => {
    const { violations } = await runHostileModel({ count: TURNS_WITH_A_PLANT, seed: SEED, plant });
    expect(violations.map((violation) => violation.kind)).toContain(kind);
  });
});
