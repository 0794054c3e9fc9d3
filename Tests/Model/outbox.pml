/* The delivery of one message of a user's outbox by nodes that share a database.
 *
 * A claim may be committed although its node gets an error, a node may die or stand still between any two steps, and its
 * lease then ends. Checked are
 *
 * - that only the node that has claimed the message records its outcome,
 * - that nothing is recorded as sent that was not delivered,
 * - that the message is delivered and recorded as sent in the end (property `delivered`), if one node lives.
 */
#ifndef NODES
#define NODES 2
#endif
#ifndef FAULTS
#define FAULTS 3 /* lost answers and lapsed leases, of all nodes */
#endif
#define NONE 255

mtype = { queued, sending, sent };

/* The database. */
mtype status = queued;
byte boot = NONE;         /* the node that has claimed the message */
byte claim = 0;           /* the number of its claim */
bool lease[NODES] = true;

/* What an observer of all nodes knows. */
bool delivered_ = false;
byte faults = 0;

active proctype Clock() {
    byte n;
    do
    :: faults < FAULTS ->
        select (n : 0 .. NODES - 1);
        atomic { lease[n] = false; faults++ }
    :: break
    od
}

active [NODES] proctype Node() {
    byte me = _pid - 1;
    byte last = 0;        /* the number of the last claim of this node */
    byte going = 0;       /* the claim that goes on; 0 for none */

    do
    :: status == sent -> break
    :: else ->
        /* Renews the lease, and queues what nobody delivers. */
        lease[me] = true;
        atomic {
            if
            :: status == sending && (boot == me && claim != going || boot != me && !lease[boot]) ->
                status = queued; boot = NONE
            :: else
            fi
        }
        last = last + 1; going = last;
        if
        :: atomic { status == queued -> status = sending; boot = me; claim = going };
            if
            :: atomic { faults < FAULTS -> faults++ } /* the answer is lost: the node knows no item */
            :: me > 0 -> break /* dies; one node lives */
            :: true ->
                /* The attempt is counted, unless another node has taken the message over. Then it is delivered. */
                if
                :: atomic { status == sending && boot == me && claim == going -> delivered_ = true };
                    atomic {
                        if
                        :: status == sending && boot == me && claim == going ->
                            assert(delivered_); status = sent; boot = NONE
                        :: else /* another node delivers it again, with the same key */
                        fi
                    }
                :: else
                fi
            fi
        :: else
        fi;
        going = 0;
        last = (last > 6 -> 0 : last)
    od;
    lease[me] = false
}

ltl delivered { <> (status == sent) }
