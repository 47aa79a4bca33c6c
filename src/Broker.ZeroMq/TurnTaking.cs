namespace Broker.ZeroMq;

/// <summary>Whether it is the turn of a REQ or REP to send or to receive (RFC 28). Thread-safe.</summary>
/// <param name="isReply">REP receives first; REQ sends first.</param>
/// <param name="isRelaxed">Whether a request may be sent while another one waits for its reply.</param>
internal sealed class TurnTaking(bool isReply, bool isRelaxed)
{
    private const int ToSend = 0;
    private const int Sending = 1;
    private const int ToReceive = 2;

    private int _turn = isReply ? ToReceive : ToSend;

    /// <summary>Whether what was received before is to be forgotten, since a new request is sent.</summary>
    internal bool BeginSend()
    {
        int turn = Interlocked.CompareExchange(ref _turn, Sending, ToSend);
        if (turn == ToReceive && isRelaxed && Interlocked.CompareExchange(ref _turn, Sending, ToReceive) == ToReceive)
        {
            return true;
        }

        return turn == ToSend ? false : throw new InvalidOperationException(isReply
            ? "A REP socket replies once to each request, and must receive one first."
            : "A REQ socket waits for the reply to its request before it sends the next.");
    }

    internal void EndSend(bool wasSent) => Volatile.Write(ref _turn, wasSent ? ToReceive : ToSend);

    internal void BeginReceive()
    {
        if (Volatile.Read(ref _turn) == ToSend)
        {
            throw new InvalidOperationException(isReply
                ? "A REP socket must reply to the request it has received before it receives the next."
                : "A REQ socket must send a request before it receives a reply.");
        }
    }

    internal void EndReceive() => Volatile.Write(ref _turn, ToSend);
}
