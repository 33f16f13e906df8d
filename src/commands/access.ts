/**
 * What may be asked of an access ledger: one thing, to record a look before anything of it is shown.
 * @module
 */
import type { AccessEvent, AuditRole, ReadBound, ReadRoute } from '../events/access-kinds.ts';
import type { LedgerRef } from '../events/identity.ts';

/** Who looks: the name of the token and what it allows. */
export type Reader = { readonly name: string; readonly role: AuditRole };

/** A look at one ledger, or (ledger null) at several. */
export type Read = {
  readonly reader: Reader;
  readonly channel: 'console' | 'api';
  readonly route: ReadRoute;
  readonly ledger: LedgerRef | null;
  readonly bound: ReadBound;
};

/** Nothing may be shown: the look could not be recorded, or nobody knows whether it was. */
export class AccessNotRecorded extends Error {
  override readonly name = 'AccessNotRecorded';
}

/** All that an auditor's program can write. */
export interface AccessLog {
  /** Records a look durably. @throws AccessNotRecorded. */
  record(read: Read): Promise<void>;
}

/** The event of a look. There is no rule that refuses one: whoever may not look is refused before. */
export function accessEvent({ reader, channel, route, ledger, bound }: Read): AccessEvent {
  return {
    type: 'access.read',
    data: {
      reader: reader.name,
      role: reader.role,
      channel,
      route,
      ledgerId: ledger?.ledgerId ?? null,
      bound,
    },
  };
}

/** A token of the configuration: never itself, only its SHA-256 (32 bytes). */
export type AuditToken = Reader & { readonly sha256: Uint8Array };
