namespace Broker.ZeroMq;

/// <summary>Whether it is the turn of a REQ or REP to send or to receive (RFC 28). Thread-safe.</summary>
/// <remarks>
/// An answer may be taken on another thread before the send that it answers has returned: so a send ends only the turn that it has begun, and only
/// where nobody has been on since. Turns are numbered for that.
/// </remarks>
/// <param name="isReply">REP receives first; REQ sends first.</param>
/// <param name="isRelaxed">Whether a request may be sent while another one waits for its reply.</param>
internal sealed class TurnTaking(bool isReply, bool isRelaxed)
{
    private const long ToSend = 0;
    private const long Sending = 1;
    private const long ToReceive = 2;
    private const long States = 3;
    private const long NextTurn = 4;

    // The number of the turn, and what may be done in it.
    private long _turn = isReply ? ToReceive : ToSend;

    /// <summary>What it returns is for <see cref="EndSend"/>.</summary>
    internal Turn BeginSend()
    {
        while (true)
        {
            long before = Volatile.Read(ref _turn);
            long state = before & States;
            if (state == Sending || (state == ToReceive && !isRelaxed))
            {
                throw new InvalidOperationException(isReply
                    ? "A REP socket replies once to each request, and must receive one first."
                    : "A REQ socket waits for the reply to its request before it sends the next.");
            }

            long now = ((before & ~States) + NextTurn) | Sending;
            if (Interlocked.CompareExchange(ref _turn, now, before) == before)
            {
                return new Turn(now, WasToReceive: state == ToReceive);
            }
        }
    }

    /// <summary>What was not sent has changed nothing: the reply that was waited for still is.</summary>
    internal void EndSend(Turn turn, bool wasSent) =>
        Interlocked.CompareExchange(ref _turn, (turn.Value & ~States) | (wasSent || turn.WasToReceive ? ToReceive : ToSend), turn.Value);

    /// <summary>What it returns is for <see cref="EndReceive"/>.</summary>
    internal long BeginReceive()
    {
        long turn = Volatile.Read(ref _turn);
        return (turn & States) != ToSend ? turn : throw new InvalidOperationException(isReply
            ? "A REP socket must reply to the request it has received before it receives the next."
            : "A REQ socket must send a request before it receives a reply.");
    }

    /// <summary>A message was taken.</summary>
    internal void EndReceive(long began)
    {
        if (!isRelaxed)
        {
            Interlocked.And(ref _turn, ~States);
        }
        else if ((began & States) == ToReceive)
        {
            // If another request was sent meanwhile, its reply may be still to come.
            Interlocked.CompareExchange(ref _turn, began & ~States, began);
        }
    }

    /// <summary>A turn to send, and whether a reply was waited for when it began.</summary>
    internal readonly record struct Turn(long Value, bool WasToReceive);
}
