namespace Broker.ZeroMq;

/// <summary>Tracks whether a REQ or REP socket may send or receive now (RFC 28). Thread-safe.</summary>
/// <remarks>
/// Another thread may receive the answer before the send of its request has returned. So when a send ends, it may
/// change the state only if no other call has changed the state since the send began. The step number shows whether
/// another call has.
/// </remarks>
/// <param name="isReply">True for REP, which receives first. False for REQ, which sends first.</param>
/// <param name="isRelaxed">Whether a request may be sent while another request waits for its reply.</param>
internal sealed class RequestReplyOrder(bool isReply, bool isRelaxed)
{
    private const long ToSend = 0;
    private const long Sending = 1;
    private const long ToReceive = 2;
    private const long States = 3;
    private const long NextStep = 4;

    // The two lowest bits are the state, which says what the socket may do now. The other bits are the step number.
    private long _step = isReply ? ToReceive : ToSend;

    /// <summary>Begins a send. The result must be passed to <see cref="EndSend"/>.</summary>
    internal Step BeginSend()
    {
        while (true)
        {
            long before = Volatile.Read(ref _step);
            long state = before & States;
            if (state == Sending || (state == ToReceive && !isRelaxed))
            {
                throw new InvalidOperationException(isReply
                    ? "A REP socket replies once to each request, and must receive one first."
                    : "A REQ socket waits for the reply to its request before it sends the next.");
            }

            long now = ((before & ~States) + NextStep) | Sending;
            if (Interlocked.CompareExchange(ref _step, now, before) == before)
            {
                return new Step(now, WasToReceive: state == ToReceive);
            }
        }
    }

    /// <summary>Ends a send. If nothing was sent, the state becomes what it was before the send.</summary>
    internal void EndSend(Step step, bool wasSent)
        => Interlocked.CompareExchange(
            ref _step, (step.Value & ~States) | (wasSent || step.WasToReceive ? ToReceive : ToSend), step.Value);

    /// <summary>Begins a receive. The result must be passed to <see cref="EndReceive"/>.</summary>
    internal long BeginReceive()
    {
        long step = Volatile.Read(ref _step);
        return (step & States) != ToSend ? step : throw new InvalidOperationException(isReply
            ? "A REP socket must reply to the request it has received before it receives the next."
            : "A REQ socket must send a request before it receives a reply.");
    }

    /// <summary>Ends a receive that has taken a message.</summary>
    internal void EndReceive(long began)
    {
        if (!isRelaxed)
        {
            Interlocked.And(ref _step, ~States);
        }
        else if ((began & States) == ToReceive)
        {
            // If another request was sent since the receive began, the state must not change: the reply to that request
            // may not have arrived yet.
            Interlocked.CompareExchange(ref _step, began & ~States, began);
        }
    }

    /// <summary>The step of one send, and whether the socket was waiting for a reply when the send began.</summary>
    internal readonly record struct Step(long Value, bool WasToReceive);
}
