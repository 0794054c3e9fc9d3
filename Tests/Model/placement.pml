/* The ownership of one session by nodes that share a database: claim, lease, fence, save and release.
 *
 * A transaction is one atomic step of the database, or two with a lock between them. Between any two steps of a node, the
 * others may do anything, and the node may stand still for as long as it likes: its lease then ends. Checked are
 *
 * - that a write is accepted only of the node that was the last to take the session,
 * - that a node that takes the session gets everything that was acknowledged,
 * - that a claim ends (property `ends`).
 */
#ifndef NODES
#define NODES 2
#endif
#ifndef CLAIMS
#define CLAIMS 3 /* of each node */
#endif
#ifndef SAVES
#define SAVES 2 /* in each life of the session */
#endif
#ifndef LAPSES
#define LAPSES 2 /* of all leases */
#endif
#define NONE 255

/* The database. */
byte owner = NONE;
byte fence = 0;           /* of the last take-over */
byte saved = 0;           /* the number of the last saved change */
byte savedFence = 0;      /* the fence and the number of the last save */
byte savedNumber = 0;
byte readers = 0;         /* transactions that hold the owner's row FOR SHARE */
bool lease[NODES] = true; /* whether the lease of the node holds */
bool asked[NODES];        /* whether somebody has asked the node for the session */

/* A save that its node has given up, and that the network delivers later; none if its fence is 0. */
byte lateFence = 0, lateNumber, lateChange;

/* What an observer of all nodes knows. */
byte writer = NONE;       /* the last node that took the session */
byte acknowledged = 0;    /* the number of the last change that a client was told to be saved */
byte lapses = 0;
bool claiming[NODES];

#define mayTake (owner == NONE || owner == me || !lease[owner])

/* Ends the lease of a node at any moment, as the clock of the database does if the node does not renew it. */
active proctype Clock() {
    byte n;
    do
    :: lapses < LAPSES ->
        select (n : 0 .. NODES - 1);
        atomic { lease[n] = false; lapses++ }
    :: break
    od
}

active [NODES] proctype Node() {
    byte me = _pid - 1;
    byte claims = 0, mine, state, saves, number;

idle:
    if
    :: claims < CLAIMS -> claims++; claiming[me] = true; goto find
    :: goto gone
    fi;

find: /* Reads the owner without a lock. Another one with a lease is asked. */
    if
    :: atomic { !mayTake -> asked[owner] = true }; goto wait
    :: mayTake -> goto take
    fi;

wait: /* A notice, or the second after which the node looks again. */
    lease[me] = true; /* its lease is renewed by a connection of its own */
    goto find;

take: /* The statement waits for transactions that hold the row, then looks at the condition again. */
    if
    :: atomic {
           readers == 0 && mayTake ->
           owner = me; fence++; mine = fence; state = saved; writer = me;
           asked[me] = false;
           assert(state >= acknowledged)
       }
       claiming[me] = false; saves = 0; number = 0;
       goto live
    :: atomic { readers == 0 && !mayTake }; goto find
    fi;

live:
    do
    :: owner != me || fence != mine -> goto idle /* the node learns that the session was taken over */
    :: saves < SAVES ->
       saves++;
       lease[me] = true; /* a renewal, which may be late */
       number++;
       /* The first statement checks the fence and locks the row. */
       atomic {
           if
           :: owner == me && fence == mine -> readers++
           :: else -> goto idle /* SessionMoved */
           fi
       }
       if
       :: atomic {
              readers--; state++; saved = state; savedFence = mine; savedNumber = number;
              assert(writer == me); acknowledged = state
          }
       :: atomic { readers-- } /* the connection broke, and the server has rolled back */
       :: atomic { /* the network was cut, and the save is still on its way */
              lateFence == 0 -> readers--; lateFence = mine; lateNumber = number; lateChange = state + 1
          }
       fi
    :: asked[me] -> asked[me] = false; goto release
    :: saves == SAVES -> goto release /* the last client has left */
    :: me > 0 -> goto gone /* dies; one node lives */
    od;

release: /* Under an old fence it does nothing. */
    atomic { if :: owner == me && fence == mine -> owner = NONE :: else fi };
    goto idle;

gone: /* The lease of a node that stops or dies ends. */
    lease[me] = false
}

/* Delivers a save at any moment. The database lets it follow no later one. */
active proctype Network() {
end:
    do
    :: atomic {
           lateFence > 0 ->
           if
           :: owner != NONE && fence == lateFence && (savedFence < lateFence || savedNumber <= lateNumber) ->
              saved = lateChange; savedFence = lateFence; savedNumber = lateNumber
           :: else
           fi
           lateFence = 0
       }
    od
}

ltl ends { [] (claiming[0] -> <> !claiming[0]) }
