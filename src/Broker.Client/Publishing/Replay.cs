using System.Buffers.Text;
using System.Text;
using Broker.Transport;

namespace Broker.Client.Publishing;

/// <summary>
/// What is published while there is no server, for the next one; less the requests that nobody waits for any more by then. All
/// under the gate.
/// </summary>
/// <param name="limit">How many bytes may be kept.</param>
/// <param name="inbox">What the reply subjects of requests begin with; their number follows.</param>
/// <param name="isAwaited">Whether somebody still waits for the request of this number.</param>
internal sealed class Replay(int limit, string inbox, Func<long, bool> isAwaited)
{
    private readonly ReconnectBuffer _kept = new(limit);
    private readonly byte[] _inbox = Encoding.UTF8.GetBytes(inbox);

    // Whether requests may be kept that nobody waits for any more.
    private bool _mayHaveGivenUp;

    /// <summary>How many messages are kept.</summary>
    internal int Messages => _kept.Messages;

    /// <summary>Their bytes on the wire.</summary>
    internal int Length => _kept.Length;

    /// <summary>Messages that were kept and will not be sent: the server did not come, or nobody waited for the answer.</summary>
    internal long NeverSent { get; private set; }

    /// <summary>Those of them that were kept until the connection ended.</summary>
    internal long Dropped { get; private set; }

    /// <summary>Room for a command of <paramref name="size"/> bytes; empty when the limit does not allow it.</summary>
    internal Span<byte> GetSpan(int size, ReadOnlySpan<byte> replyTo)
    {
        long request = RequestNumber(replyTo);
        Span<byte> room = _kept.GetSpan(size, request);
        if (room.IsEmpty && _mayHaveGivenUp)
        {
            Withdraw();
            room = _kept.GetSpan(size, request);
        }

        return room;
    }

    internal void Advance(int count) => _kept.Advance(count);

    /// <summary>A request that was kept for the next server is not sent to it when its caller has been told that it failed.</summary>
    internal void NoteGivenUp() => _mayHaveGivenUp = true;

    internal void MoveTo(LoopWriteBuffer stage)
    {
        Withdraw();
        _kept.MoveTo(stage);
    }

    /// <summary>There will be no server.</summary>
    internal void Drop()
    {
        Dropped += _kept.Messages;
        NeverSent += _kept.Messages;
        _kept.Clear();
    }

    private void Withdraw()
    {
        if (_mayHaveGivenUp)
        {
            _mayHaveGivenUp = false;
            NeverSent += _kept.Withdraw(isAwaited);
        }
    }

    // 0 for what is no request.
    private long RequestNumber(ReadOnlySpan<byte> replyTo)
        => replyTo.StartsWith(_inbox) && Utf8Parser.TryParse(replyTo[_inbox.Length..], out long number, out _) ? number : 0;
}
